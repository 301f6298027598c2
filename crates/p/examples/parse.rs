//! Parses files and prints what is wrong with them.
use manyworlds_p::{
    diagnostic::Diagnostics,
    parser::parse,
    source::{Source, Sources},
};
fn main() {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    for path in std::env::args().skip(1) {
        let file = sources.add(Source::new(&path, &String::from_utf8_lossy(&std::fs::read(&path).unwrap())));
        parse(sources.get(file), file, &mut diagnostics);
    }
    diagnostics.sort();
    print!("{}", diagnostics.render(&sources, false));
}
