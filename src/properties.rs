//! How much the property tests try.

use proptest::test_runner::Config;

/// `cases` cases, or as many as `PROPTEST_CASES` says.
pub fn cases(cases: u32) -> Config {
    if std::env::var_os("PROPTEST_CASES").is_some() { Config::default() } else { Config::with_cases(cases) }
}
