//! Projects on a file system in memory, and on the disk.

use manyworlds_p::project::{Compiled, Disk, Files, compile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files by path. Directories are what is before a file.
struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    fn new(files: &[(&str, &str)]) -> Memory {
        Memory(files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect())
    }
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

impl Files for Memory {
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.0.get(&plain(path)).cloned().ok_or("no such file".to_string())
    }

    fn list(&self, path: &Path) -> Result<Vec<PathBuf>, String> {
        let base = plain(path);
        let below = self
            .0
            .keys()
            .filter_map(|file| file.strip_prefix(&base).ok()?.components().next().map(|next| base.join(next)));
        Ok(below.collect::<std::collections::BTreeSet<_>>().into_iter().collect())
    }

    fn is_directory(&self, path: &Path) -> Option<bool> {
        let path = plain(path);
        if self.0.contains_key(&path) {
            return Some(false);
        }
        self.0.keys().any(|file| file.starts_with(&path)).then_some(true)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        plain(path)
    }
}

fn project(path: &str, files: &[(&str, &str)]) -> Compiled {
    compile(Path::new(path), &Memory::new(files)).unwrap()
}

fn tests(compiled: &Compiled) -> Vec<&str> {
    assert!(!compiled.diagnostics.has_errors(), "{}", compiled.render(false));
    compiled.program.tests.iter().map(|test| &*test.instance).collect()
}

const MAIN: &str = "machine Main { start state S { entry { new Other(); } } }";
const OTHER: &str = "machine Other { start state S { } }";

#[test]
fn a_directory_is_one_program() {
    let files = [
        ("d/a.p", MAIN),
        ("d/sub/b.p", OTHER),
        ("d/sub/deep/c.p", "no P"),
        ("d/.hidden.p", "no P"),
        ("d/.git/x.p", "no P"),
    ];
    assert_eq!(tests(&project("d", &files)), ["DefaultImpl"]);
    assert!(project("d/a.p", &files).diagnostics.has_errors());
}

#[test]
fn a_project_lists_files_and_includes_projects() {
    let main = "<Project><ProjectName>Demo</ProjectName><InputFiles><PFile>./PSrc/</PFile><PFile>t.p</PFile></InputFiles>\
                <IncludeProject>../common/c.pproj</IncludeProject></Project>";
    let common = "<Project><ProjectName>Common</ProjectName><InputFiles><PFile>./src/</PFile></InputFiles>\
                  <IncludeProject>../d/p.pproj</IncludeProject></Project>";
    let files = [
        ("d/p.pproj", main),
        ("d/PSrc/a.p", MAIN),
        ("d/PSrc/deep/deeper/n.p", "event e;"),
        ("d/PSrc/._a.p", "no P"),
        ("d/PSrc/a.cs", "no P"),
        ("d/t.p", "test tc [main = Main]: { Main, Other };"),
        ("d/unlisted.p", "no P"),
        ("common/c.pproj", common),
        ("common/src/o.p", OTHER),
        ("common/src/t.p", "test tOther [main = Other]: { Other };"),
    ];
    let compiled = project("d", &files);
    assert_eq!((compiled.name.as_str(), tests(&compiled)), ("Demo", vec!["tc"]));
    assert_eq!(tests(&project("common/c.pproj", &files)), ["tOther"]);
}

#[test]
fn what_is_wrong_with_a_project_has_a_place() {
    let says = |text: &str, place: &str, message: &str| {
        let shown = project("d", &[("d/p.pproj", text), ("d/a.p", OTHER)]).render(false);
        assert!(shown.starts_with(place) && shown.contains(message), "{shown}");
    };
    says("<Project>\n<PFile>none.p</PFile></Project>", "d/p.pproj:2:8: error:", "no such file");
    says("<Project>", "d/p.pproj:1:10: error:", "expected `</Project>`");
    says("<Project></Project>", "d/p.pproj:1:1: error:", "lists no files");
    says(
        "<Project><ProjectName>a b</ProjectName><PFile>a.p</PFile></Project>",
        "d/p.pproj:1:23: error:",
        "cannot be the name",
    );
    says(
        "<Project><PFile>a.p</PFile>\n<IncludeProject>x.pproj</IncludeProject></Project>",
        "d/p.pproj:2:17: error:",
        "no such project",
    );
}

#[test]
fn what_is_no_text_has_a_place() {
    let mut files = Memory::new(&[]);
    files.0.insert("d/a.p".into(), b"event e;\nevent \xff;".to_vec());
    let shown = compile(Path::new("d"), &files).unwrap().render(false);
    assert!(shown.starts_with("d/a.p:2:7: error: the file is not valid UTF-8"), "{shown}");
}

#[test]
fn a_path_without_a_program_is_refused() {
    let files = Memory::new(&[("d/x.txt", ""), ("two/a.pproj", ""), ("two/b.pproj", "")]);
    let refused = |path: &str| compile(Path::new(path), &files).unwrap_err();
    assert!(refused("none").contains("there is no file or directory none"));
    assert!(refused("d").contains("there is no file of P"));
    assert!(refused("d/x.txt").contains("expected a file of P"));
    assert!(refused("two").contains("several project files"));
    assert!(compile(Path::new("/nowhere/at/all"), &Disk).is_err());
}
