//! What the command line prints, word for word.

#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").default_bin_name("manyworlds");
}
