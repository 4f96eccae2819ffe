//! What the ends of a flow make of ECN: the codepoint of its packets, and what the receiver says about marked ones.
//!
//! Source: RFC 3168 §5, §6.1 (ECT(0), echo until the window is reduced), RFC 9768 §3.2 (counts of marked packets), RFC 9331 §4.1 (ECT(1)).
//!
//! | word     | data packets    | retransmissions, SYN | acknowledgements say                                      |
//! |----------|-----------------|----------------------|-----------------------------------------------------------|
//! | off      | not ECN-capable | not ECN-capable      | nothing                                                   |
//! | classic  | ECT(0)          | not ECN-capable, RFC 3168 §6.1.1, §6.1.5 | that there were marks, until the window is reduced |
//! | accurate | ECT(0)          | not ECN-capable      | how many packets were marked                              |
//! | l4s      | ECT(1)          | ECT(1), draft-briscoe-iccrg-prague §2.2 | how many packets were marked           |
//!
//! In the engine's data `off` and `classic` are `false` and `true`, as they were when there were no others. Nothing is negotiated: both
//! ends are taken to have agreed. Acknowledgements themselves are not ECN-capable.

use crate::packet::{ECT, ECT_1};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// What the ends of a flow make of ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Packets are not ECN-capable.
    #[default]
    Off,
    /// RFC 3168: marks are echoed until the sender says that it has reduced its window.
    Classic,
    /// RFC 9768: marked packets are counted.
    Accurate,
    /// As accurate, and data asks for L4S service.
    L4s,
}

impl Ecn {
    /// The words for each, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["off", "classic", "accurate", "l4s"];
    const EACH: [Ecn; 4] = [Ecn::Off, Ecn::Classic, Ecn::Accurate, Ecn::L4s];

    /// Its word.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The flags of its data packets.
    pub const fn flags(self) -> u16 {
        match self {
            Ecn::Off => 0,
            Ecn::Classic | Ecn::Accurate => ECT,
            Ecn::L4s => ECT | ECT_1,
        }
    }

    /// Are marked packets echoed until the window is reduced?
    pub const fn echoes(self) -> bool {
        matches!(self, Ecn::Classic)
    }

    /// Are marked packets counted?
    pub const fn counts(self) -> bool {
        matches!(self, Ecn::Accurate | Ecn::L4s)
    }
}

impl Serialize for Ecn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ecn::Off | Ecn::Classic => serializer.serialize_bool(*self == Ecn::Classic),
            Ecn::Accurate | Ecn::L4s => serializer.serialize_str(self.word()),
        }
    }
}

impl<'de> Deserialize<'de> for Ecn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagOrWord)
    }
}

struct FlagOrWord;

impl Visitor<'_> for FlagOrWord {
    type Value = Ecn;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "true, false or one of {}", Ecn::WORDS.join(", "))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Ecn, E> {
        Ok(if flag { Ecn::Classic } else { Ecn::Off })
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Ecn, E> {
        let found = Ecn::EACH.into_iter().find(|ecn| ecn.word() == word);
        found.ok_or_else(|| E::unknown_variant(word, Ecn::WORDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json, to_value};

    #[test]
    fn two_are_written_as_flags_and_all_are_read_as_words() {
        let written = [json!(false), json!(true), json!("accurate"), json!("l4s")];
        for (ecn, text) in Ecn::EACH.into_iter().zip(written) {
            assert_eq!(to_value(ecn).unwrap(), text);
            assert_eq!(from_value::<Ecn>(text).unwrap(), ecn);
            assert_eq!(from_value::<Ecn>(json!(ecn.word())).unwrap(), ecn);
        }
        let refused = from_value::<Ecn>(json!("counts")).unwrap_err().to_string();
        assert!(refused.contains("expected one of `off`, `classic`, `accurate`, `l4s`"), "{refused}");
    }
}
