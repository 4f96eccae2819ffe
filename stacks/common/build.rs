//! Which version of its stack a plug-in is built with, from Cargo.lock: `STACK`, such as `quinn-proto 0.11.19`. This file is the build script of
//! every plug-in here; `[package.metadata]` of each names its stack.
//!
//! A build of a changed copy of the stack (`stacks/causes.toml`) has the name of the change in `SAWTOOTH_CHANGE`. Then its controllers carry
//! that name too: `CHANGE`, such as `-paced`.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What stands between quotes after this, in text that holds it.
fn quoted<'a>(text: &'a str, before: &str) -> &'a str {
    let (_, after) = text.split_once(before).unwrap_or_else(|| panic!("expected {before}"));
    after.split('"').next().expect("a part before the first quote")
}

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let manifest = read(&here.join("Cargo.toml"));
    let lock = read(&here.join("../Cargo.lock"));
    let stack = quoted(&manifest, "\nstack = \"");
    let version = quoted(&lock, &format!("\nname = \"{stack}\"\nversion = \""));
    println!("cargo::rerun-if-env-changed=SAWTOOTH_CHANGE");
    let change = match std::env::var("SAWTOOTH_CHANGE") {
        Ok(name) if !name.is_empty() => format!("-{name}"),
        _ => String::new(),
    };
    let told = if change.is_empty() { "" } else { ", changed" };
    println!("cargo::rustc-env=CHANGE={change}");
    println!("cargo::rustc-env=STACK={stack} {version}{told}");
}
