//! Size of the property tests.

use proptest::test_runner::Config;

/// Settings for `cases` cases, or for the number in `PROPTEST_CASES`.
pub fn cases(cases: u32) -> Config {
    if std::env::var_os("PROPTEST_CASES").is_some() { Config::default() } else { Config::with_cases(cases) }
}
