//! Random numbers of a seed for stacks that ask the operating system for theirs.
//!
//! Source: the crate `getrandom`, whose *custom* back end this is; `stacks/.cargo/config.toml` chooses it. Some controllers make their
//! random numbers of the thread's generator, which asks `getrandom` when its thread first uses it, and offer no seed of their own. They
//! are built on a thread whose generator begins with a seed ([`seeded`]). Elsewhere the numbers are those of a fixed seed: connection
//! ids and keys, on which no size and no time depends.

use std::cell::Cell;

#[cfg(not(getrandom_backend = "custom"))]
compile_error!(
    "expected the flags of stacks/.cargo/config.toml: build by `make stacks`, or within stacks/, and without RUSTFLAGS"
);

/// 2⁶⁴ over the golden ratio, the step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

thread_local! {
    /// The state of SplitMix64 on this thread.
    static STATE: Cell<u64> = const { Cell::new(STEP) };
}

fn next_word() -> u64 {
    let state = STATE.get().wrapping_add(STEP);
    STATE.set(state);
    let mut word = state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// What `getrandom` calls.
///
/// # Safety
/// The pointer is to so many bytes that may be written.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(to: *mut u8, length: usize) -> Result<(), getrandom::Error> {
    let place = unsafe { std::slice::from_raw_parts_mut(to.cast::<std::mem::MaybeUninit<u8>>(), length) };
    for part in place.chunks_mut(8) {
        for (byte, value) in part.iter_mut().zip(next_word().to_le_bytes()) {
            byte.write(value);
        }
    }
    Ok(())
}

/// Do this on a thread of its own, whose random numbers begin with this seed.
pub fn seeded<T: Send>(seed: u64, work: impl FnOnce() -> T + Send) -> T {
    let on_its_own = || {
        STATE.set(seed);
        work()
    };
    std::thread::scope(|scope| scope.spawn(on_its_own).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_each_time() {
        let drawn = |seed| {
            seeded(seed, || {
                let mut bytes = [0; 21];
                getrandom::fill(&mut bytes).expect("this back end never fails");
                bytes
            })
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert!(drawn(7)[16..].iter().any(|&byte| byte != 0), "the last part of a word is filled as well");
    }
}
