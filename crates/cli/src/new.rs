//! `manyworlds new`: a small crate to start from, with a model of each kind. The files lie in `templates`.

use crate::args::NewArgs;
use manyworlds::cli::terminal::print_line;
use manyworlds::cli::{Complaint, Exit};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where they go, and what is in them.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("../templates/Cargo.toml.template")),
    (".gitignore", include_str!("../templates/gitignore")),
    ("README.md", include_str!("../templates/README.md")),
    ("src/main.rs", include_str!("../templates/src/main.rs")),
    ("src/delivery.rs", include_str!("../templates/src/delivery.rs")),
    ("src/booking.rs", include_str!("../templates/src/booking.rs")),
    ("src/counter.rs", include_str!("../templates/src/counter.rs")),
    ("tests/command_line.rs", include_str!("../templates/tests/command_line.rs")),
];

/// Names that Cargo or Rust keep for themselves, or that would clash with the library.
const RESERVED: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "manyworlds",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// Writes the crate and says what to do next.
pub fn run(args: &NewArgs) -> Result<Exit, Complaint> {
    let path = &args.path;
    let name = crate_name(path)?;
    expect_room(path)?;
    let home = home(path);
    let dependency = dependency(clone_of_the_house(&home).as_deref())?;
    let workspace = match inside_a_workspace(&home) {
        true => "\n# The directory lies within another workspace, and is no part of it.\n[workspace]\n",
        false => "",
    };
    let filled = FILES.map(|(file, text)| {
        let text = text.replace("{{name}}", name).replace("{{dependency}}", &dependency);
        (file, text.replace("{{workspace}}", workspace))
    });
    write(path, &filled).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    print_line(&next(name, path));
    Ok(Exit::Verified)
}

fn next(name: &str, path: &Path) -> String {
    format!(
        "wrote {name} to {path}: three models, each with a bug that can be switched on\n\n\
         next:\n  \
         cd {path}\n  \
         cargo test                               # every world of the models, and that the bugs are found\n  \
         cargo run -- list                        # the models\n  \
         cargo run -- check booking-bug           # the bug, drawn\n  \
         cargo run -- check delivery-bug --html bug.html\n  \
         then change src/booking.rs, or add a model of your own to src/main.rs",
        path = path.display()
    )
}

/// The last part of the path, if a crate may be called that.
fn crate_name(path: &Path) -> Result<&str, Complaint> {
    let complaint = |problem: &str| {
        let shown = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Err(format!(
            "NAME is `{shown}`: {problem}; expected a letter, then letters, digits, - or _, at most 64 in all, as in demo or my-protocol"
        ))
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return complaint("a crate cannot be called that");
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return complaint("it does not begin with a letter");
    }
    if let Some(bad) = name.chars().find(|&c| !allowed(c)) {
        return complaint(&format!("a crate's name has no `{bad}` in it"));
    }
    if name.len() > 64 {
        return complaint("it is too long");
    }
    if RESERVED.contains(&name) {
        return complaint("this name means something else to Cargo or to Rust");
    }
    Ok(name)
}

/// Complains if something is there already, or nothing can be put there.
fn expect_room(path: &Path) -> Result<(), Complaint> {
    let shown = path.display();
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("{shown} is a directory with something in it; expected a new or an empty one")),
        Err(_) if path.symlink_metadata().is_ok() => {
            Err(format!("{shown} exists and is no directory that can be read; expected a new or an empty one"))
        }
        Err(_) if !home(path).is_dir() => {
            Err(format!("{shown} cannot be written: there is no directory {}", home(path).display()))
        }
        Err(_) => Ok(()),
    }
}

/// The directory that the crate is in.
fn home(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// All files, or none: they are written beside, and take their place when they are whole.
fn write(path: &Path, files: &[(&str, String)]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = home(path).join(format!(".{name}.{}.part", std::process::id()));
    fs::create_dir(&draft)?;
    let written = files.iter().try_for_each(|(file, text)| {
        let file = draft.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&draft))?;
        fs::write(file, text)
    });
    let placed = written.and_then(|()| {
        // An empty directory gives way; one that is not empty any more does not.
        if path.is_dir() {
            fs::remove_dir(path)?;
        }
        fs::rename(&draft, path)
    });
    placed.inspect_err(|_| drop(fs::remove_dir_all(&draft)))
}

/// What the manifest says about the library: where it is, in a clone; or its version.
fn dependency(clone: Option<&Path>) -> Result<String, Complaint> {
    match clone {
        None => Ok(format!("manyworlds = \"{}\"", env!("CARGO_PKG_VERSION"))),
        Some(path) => {
            let text = path.to_str().ok_or_else(|| format!("{} is not UTF-8; a manifest is", path.display()))?;
            // A text of JSON is one of TOML, too.
            Ok(format!("manyworlds = {{ path = {} }}", serde_json::Value::from(text)))
        }
    }
}

/// The library in the clone that this program was built from, or that the new crate lies in.
fn clone_of_the_house(home: &Path) -> Option<PathBuf> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manyworlds");
    let here = std::env::current_dir().ok().into_iter().chain(home.canonicalize().ok());
    let around: Vec<PathBuf> = here
        .flat_map(|here| here.ancestors().map(|above| above.join("crates/manyworlds")).collect::<Vec<_>>())
        .collect();
    let library = std::iter::once(built_from).chain(around).find(|path| is_the_library(path))?;
    library.canonicalize().ok()
}

fn is_the_library(path: &Path) -> bool {
    let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"manyworlds\"")
}

/// Whether Cargo would look for the new crate among the members of a workspace.
fn inside_a_workspace(home: &Path) -> bool {
    let Ok(home) = home.canonicalize() else { return false };
    let manifests = home.ancestors().map(|above| fs::read_to_string(above.join("Cargo.toml")).unwrap_or_default());
    manifests.into_iter().any(|manifest| manifest.lines().any(|line| line.trim_start().starts_with("[workspace")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates() {
        for good in ["demo", "my-protocol", "a", "raft_2", "../somewhere/else/demo"] {
            assert!(crate_name(Path::new(good)).is_ok(), "{good}");
        }
        for bad in
            ["", "..", "/", "2pc", "-x", "my crate", "é", "ü-bung", "a.b", "fn", "test", "manyworlds", &"x".repeat(65)]
        {
            let complaint = crate_name(Path::new(bad)).unwrap_err();
            assert!(complaint.contains("expected a letter, then"), "{complaint}");
        }
    }

    #[test]
    fn without_a_clone_the_version_is_named() {
        assert_eq!(dependency(None).unwrap(), format!("manyworlds = \"{}\"", env!("CARGO_PKG_VERSION")));
        let odd = dependency(Some(Path::new("/a \"b\"\\c"))).unwrap();
        assert_eq!(odd, r#"manyworlds = { path = "/a \"b\"\\c" }"#);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let home = std::env::temp_dir().join(format!("manyworlds-new-{}", std::process::id()));
        fs::create_dir_all(&home).unwrap();
        // A file stands where a directory should be.
        let files = [("a", String::new()), ("a/b", String::new())];
        assert!(write(&home.join("demo"), &files).is_err());
        assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
        fs::remove_dir_all(home).unwrap();
    }
}
