//! What this module was built with, for `sawtooth doctor`.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo:rustc-env=SAWTOOTH_RUSTC={}", version.trim());
    println!("cargo:rustc-env=SAWTOOTH_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
}
