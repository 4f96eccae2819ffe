//! The header in C is made of `abi.rs` and `endpoint_abi.rs` of crates/plugin/src, and committed: `HEADER=write cargo test -p sawtooth-header` writes it anew.

use std::path::Path;

fn header() -> String {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).expect("the configuration");
    let sources = ["src/abi.rs", "src/endpoint_abi.rs"].map(|source| here.join(source));
    let made = sources
        .iter()
        .fold(cbindgen::Builder::new().with_config(config), |builder, source| builder.with_src(source));
    let made = made.generate();
    let mut text = Vec::new();
    made.expect("types that C has").write(&mut text);
    String::from_utf8(text).expect("text")
}

#[test]
fn the_header_is_current() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin")).join("include/sawtooth.h");
    let made = header();
    if std::env::var_os("HEADER").is_some_and(|value| value == "write") {
        std::fs::write(&path, &made).expect("a place to write");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "src/abi.rs or src/endpoint_abi.rs says something else: HEADER=write cargo test -p sawtooth-header"
    );
}

#[test]
fn the_header_says_its_version() {
    assert!(header().contains(&format!("#define SAWTOOTH_ABI {}\n", sawtooth_plugin::abi::ABI)));
    let version = sawtooth_plugin::endpoint_abi::ENDPOINT_ABI;
    assert!(header().contains(&format!("#define SAWTOOTH_ENDPOINT_ABI {version}\n")));
}
