//! The engine version: a hash of the engine's source files, taken when it is built, which results name as their maker.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crate's sources are readable") {
        let path = entry.expect("a directory entry is readable").path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn main() {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets the manifest folder"));
    let crates = manifest.parent().expect("the crate lies in the workspace");
    let mut sources = Vec::new();
    for source in ["cc/src", "sim/src"] {
        let folder = crates.join(source);
        println!("cargo:rerun-if-changed={}", folder.display());
        sources_below(&folder, &mut sources);
    }
    sources.sort();
    let mut hash = Sha256::new();
    for path in &sources {
        let name = path.strip_prefix(crates).expect("sources lie below the workspace's crates");
        hash.update(name.to_string_lossy().as_bytes());
        hash.update(fs::read(path).expect("a source is readable"));
    }
    let digest: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=SAWTOOTH_ENGINE_VERSION={digest}");
}
