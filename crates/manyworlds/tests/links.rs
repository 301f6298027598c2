//! Links and the names of files in the documentation lead somewhere: those of the book, and those of the pages beside the README.
//!
//! A link leads to a file, or to a heading of one. What a chapter of the book links to is in the book, or it would be lost when the book is built.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Adds the pages of a directory, and of those below it if `deep`.
fn pages(directory: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("it can be read").path();
        if deep && path.is_dir() {
            pages(&path, deep, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

fn all_pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    pages(&root(), false, &mut found);
    pages(&root().join("book/src"), true, &mut found);
    found.sort();
    found
}

/// The lines outside blocks of code.
fn prose(text: &str) -> Vec<&str> {
    let mut inside = false;
    let is_prose = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    };
    text.lines().filter(is_prose).collect()
}

/// What a line has outside and inside of backticks.
fn apart(line: &str) -> (Vec<&str>, Vec<&str>) {
    let parts: Vec<&str> = line.split('`').collect();
    (parts.iter().step_by(2).copied().collect(), parts.iter().skip(1).step_by(2).copied().collect())
}

/// Where the links and pictures of a page lead, those to other sites left out.
fn links(text: &str) -> Vec<String> {
    // Code in the text of a link may hold brackets; what is left without it may not.
    let lines: Vec<String> = prose(text).into_iter().map(|line| apart(line).0.concat()).collect();
    let targets = lines.iter().flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_string).collect()
}

/// The anchors of a page: headings in small letters, without punctuation, a hyphen for each blank, a number for each that comes again.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(text).into_iter().filter(|line| line.starts_with('#'));
    let names = headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    });
    let numbered = names.map(|name| {
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name}-{}", *times - 1) }
    });
    numbered.collect()
}

/// What is wrong with a link of a page, if anything is.
fn complaint(page: &Path, link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = match file {
        "" => page.to_path_buf(),
        file => page.parent()?.join(file),
    };
    if !target.exists() {
        return Some("there is no such file".to_string());
    }
    let book = root().join("book/src");
    // The directory is what counts: a picture in it may be a link to one that the README shows, too.
    if page.starts_with(&book) && !target.parent()?.canonicalize().ok()?.starts_with(&book) {
        return Some("it leads out of the book".to_string());
    }
    let anchor = anchor?;
    let text = fs::read_to_string(&target).unwrap_or_default();
    let known = anchors(&text);
    (!known.iter().any(|name| name == anchor)).then(|| format!("no heading makes this anchor; there are {known:?}"))
}

#[test]
fn links_lead_somewhere() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in all_pages() {
        let text = fs::read_to_string(&page).expect("a page is text");
        for link in links(&text) {
            count += 1;
            wrong.extend(complaint(&page, &link).map(|why| format!("{}: {link}: {why}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "the pages have links");
}

/// `a/{b,c}.rs` are two files.
fn each(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_string()] };
    let Some((names, after)) = rest.split_once('}') else { return vec![path.to_string()] };
    names.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

#[test]
fn files_that_are_named_are_there() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in all_pages() {
        let text = fs::read_to_string(&page).expect("a page is text");
        let named = prose(&text).into_iter().flat_map(|line| apart(line).1);
        let ours = |name: &&str| {
            ["crates/", "protocols/", "book/", "benches/", "tests/browser"].iter().any(|d| name.starts_with(d))
        };
        for path in named.filter(ours).filter(|name| !name.contains([' ', '*', '…'])).flat_map(each) {
            count += 1;
            if !root().join(&path).exists() {
                wrong.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "these are not there:\n{}", wrong.join("\n"));
    assert!(count > 50, "the pages name files");
}

#[test]
fn what_is_wrong_is_noticed() {
    let page = root().join("book/src/verdicts.md");
    for (link, why) in [
        ("nowhere.md", Some("no such file")),
        ("../../README.md", Some("out of the book")),
        ("glossary.md#no-such-word", Some("no heading")),
        ("glossary.md#glossary", None),
    ] {
        let said = complaint(&page, link);
        assert_eq!(said.is_some(), why.is_some(), "{link}: {said:?}");
        assert!(why.is_none_or(|why| said.unwrap().contains(why)), "{link}");
    }
    let text = "# A `b` c!\n```\n[x](code.md)\n# no heading\n```\n## a b-c\n[`f(x)[0]`](one.md) `[no](two.md)` ![p](three.png) [w](https://a.b)\n# A b c";
    assert_eq!(links(text), ["one.md", "three.png"]);
    assert_eq!(anchors(text), ["a-b-c", "a-b-c-1", "a-b-c-2"]);
    assert_eq!(each("a/{b,c}.rs"), ["a/b.rs", "a/c.rs"]);
}
