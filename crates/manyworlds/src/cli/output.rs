//! Files that a command writes: whole or not at all, and what was there before stays if it cannot be done.

use super::Complaint;
use std::path::{Path, PathBuf};

/// Complains before a long run if it is plain already that `file` cannot be written.
pub fn expect_writable(option: &str, file: &Path) -> Result<(), Complaint> {
    let complaint = |problem: &str| Err(format!("{option}: {} cannot be written: {problem}", file.display()));
    if file.is_dir() {
        return complaint("it is a directory; expected a file");
    }
    if file.file_name().is_none() {
        return complaint("it names no file");
    }
    match directory(file) {
        directory if !directory.is_dir() => complaint(&format!("there is no directory {}", directory.display())),
        // What is no plain file is written to as it is.
        _ if file.exists() && !file.is_file() => Ok(()),
        _ => try_beside(file).or_else(|e| complaint(&e.to_string())),
    }
}

/// Writes nothing beside a file, to see whether something could be written there.
fn try_beside(file: &Path) -> std::io::Result<()> {
    let beside = beside(&file.canonicalize().unwrap_or_else(|_| file.to_path_buf()));
    std::fs::write(&beside, "")?;
    std::fs::remove_file(&beside)
}

/// Whether two names mean one plain file, which may not be there yet. Something else, like a terminal, can be written to twice.
pub fn same(one: &Path, other: &Path) -> bool {
    let place = |file: &Path| {
        let new = || Some(directory(file).canonicalize().ok()?.join(file.file_name()?));
        file.canonicalize().ok().or_else(new)
    };
    let plain = |file: &Path| !file.exists() || file.is_file();
    plain(one) && place(one).is_some() && place(one) == place(other)
}

/// Writes `text` to `file`: into a new file beside it, which then takes its place.
pub fn write(option: &str, file: &Path, text: &str) -> Result<(), Complaint> {
    expect_writable(option, file)?;
    let complaint = |e: std::io::Error| format!("{option}: {} cannot be written: {e}", file.display());
    // A pipe or a terminal is written to as it is; a link stays one.
    if file.exists() && !file.is_file() {
        return std::fs::write(file, text).map_err(complaint);
    }
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let beside = beside(&file);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(complaint)
}

fn directory(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn beside(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    directory(file).join(format!(".{name}.{}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("manyworlds-output-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let directory = scratch("whole");
        let file = directory.join("report.html");
        write("--html", &file, "old").unwrap();
        write("--html", &file, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file() {
        let directory = scratch("fails");
        let file = directory.join("report.html");
        std::fs::write(&file, "old").unwrap();
        // The place of the new file is taken by a directory, so that writing it fails, whoever runs this.
        std::fs::create_dir(beside(&file.canonicalize().unwrap())).unwrap();
        let complaint = write("--html", &file, "new").unwrap_err();
        assert!(
            complaint.starts_with("--html: ") && complaint.contains("report.html cannot be written"),
            "{complaint}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn two_names_of_one_file_are_recognised() {
        let directory = scratch("same");
        let file = directory.join("a.json");
        assert!(same(&file, &directory.join(".").join("a.json")), "also before it is there");
        std::fs::write(&file, "").unwrap();
        assert!(same(&file, &directory.join("../").join(directory.file_name().unwrap()).join("a.json")));
        assert!(!same(&file, &directory.join("b.json")));
        assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let directory = scratch("before");
        assert!(expect_writable("--dot", &directory).unwrap_err().contains("it is a directory"));
        assert!(expect_writable("--dot", &directory.join("no/x.dot")).unwrap_err().contains("there is no directory"));
        assert!(expect_writable("--dot", Path::new("/")).is_err());
        assert!(expect_writable("--dot", Path::new("x.dot")).is_ok());
        std::fs::remove_dir_all(directory).unwrap();
    }
}
