//! The commands of the book do what it says.
//!
//! In a block `console` each line that starts with `$ ` is a command, and what follows is what it prints. A line `…` stands for any lines, and a line that
//! ends with `…` for whatever begins like it. A command without output must just not be refused. Files of the repository that a command names are there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn chapters(directory: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(directory).expect("the book is there").map(|entry| entry.expect("it can be read").path());
    let (directories, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let mut found: Vec<PathBuf> =
        files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    found.extend(directories.iter().flat_map(|directory| chapters(directory)));
    found
}

/// The commands of a chapter, and what they print.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for block in text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for line in block.lines() {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_string(), String::new())),
                (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
                (None, None) => panic!("`{line}` comes before any command"),
            }
        }
    }
    found
}

/// The words of a command; quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a first word").push(c),
        }
    }
    words
}

/// Copies a file of the repository to the same place below `here`.
fn bring(word: &str, root: &Path, here: &Path) {
    if root.join(word).is_file() {
        let copy = here.join(word);
        fs::create_dir_all(copy.parent().expect("it is below")).expect("there is a place for files");
        fs::copy(root.join(word), copy).expect("the file can be copied");
    }
}

/// Whether the lines are those that were told.
fn says(printed: &[&str], told: &[&str]) -> bool {
    match (told, printed) {
        ([], _) => printed.iter().all(|line| line.is_empty()),
        (["…", rest @ ..], _) => (0..=printed.len()).any(|skipped| says(&printed[skipped..], rest)),
        ([line, rest @ ..], [first, others @ ..]) => {
            let fits = match line.strip_suffix('…') {
                Some(beginning) => first.starts_with(beginning),
                None => first.trim_end() == line.trim_end(),
            };
            fits && says(others, rest)
        }
        _ => false,
    }
}

#[test]
fn commands_do_what_the_book_says() {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&here);
    fs::create_dir_all(&here).expect("there is a place for files");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for chapter in chapters(&root.join("book/src")) {
        for (command, told) in commands(&fs::read_to_string(&chapter).expect("a chapter is text")) {
            let arguments = command.strip_prefix("cargo run --release -- ").unwrap_or_else(|| panic!("`{command}`"));
            let mut run = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
            let words = words(arguments);
            words.iter().for_each(|word| bring(word, &root, &here));
            let run = run.args(words).current_dir(&here).output().expect("the command runs");
            let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
            assert!(matches!(run.status.code(), Some(0 | 1 | 3)), "{command}\n{err}");
            let lines: Vec<&str> = out.lines().collect();
            let told: Vec<&str> = told.lines().collect();
            let right = told.is_empty() || says(&lines, &told);
            assert!(right, "{}: {command}\nprints\n{out}", chapter.display());
            count += 1;
        }
    }
    assert!(count > 0, "the book has commands");
}
