//! A law's many numbers as one table: the struct, its plain values and what each of them means.

/// The numbers of a law, one per line: name, unit, default, interval, `whole` where it counts something, and what it means.
macro_rules! named_numbers {
    ($of:literal $params:ident { $($name:ident $unit:literal $default:literal in $min:literal..=$max:literal $($whole:ident)? $why:literal;)* }) => {
        #[doc = concat!("The numbers of ", $of, "; [`PARAMETERS`] says what they mean.")]
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(missing_docs)]
        pub struct $params {
            $(pub $name: f64,)*
        }

        /// The parameters in order.
        pub const PARAMETERS: &[crate::constructor::ParameterInfo] = &[
            $(crate::constructor::ParameterInfo::new(stringify!($name), $unit, Some($default), ($min, $max), $why)$(.$whole())?,)*
        ];

        impl $params {
            /// From values in the order of [`PARAMETERS`].
            pub fn from_values(values: &[f64]) -> Self {
                let mut values = values.iter().copied();
                let mut next = || values.next().expect("a value for each parameter");
                $params { $($name: next(),)* }
            }
        }

        impl Default for $params {
            fn default() -> Self {
                $params { $($name: $default,)* }
            }
        }
    };
}
