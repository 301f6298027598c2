//! Projects: from a path to the files of a program.
//!
//! A path is a file of P, a project file (`.pproj`), or a directory. A directory stands for the project file in it, or else for all files of P in it and one
//! level below. A project file lists files and directories (those with everything below them) and includes other projects. Hidden files are skipped.
//! What a project file names is relative to that file.

use crate::ast;
use crate::check::{self, Options};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::Program;
use crate::parser;
use crate::source::{Source, Sources, Span};
use crate::xml;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The largest file that is read.
const MAX_BYTES: usize = 256 << 20;

/// How deep directories are searched.
const MAX_DEPTH: usize = 64;

/// Where files come from.
pub trait Files {
    /// The content of a file.
    ///
    /// # Errors
    /// If it cannot be read: why.
    fn read(&self, path: &Path) -> Result<Vec<u8>, String>;
    /// The files and directories in a directory.
    ///
    /// # Errors
    /// If it cannot be read: why.
    fn list(&self, path: &Path) -> Result<Vec<PathBuf>, String>;
    /// Whether a path is a directory; nothing if there is no such path.
    fn is_directory(&self, path: &Path) -> Option<bool>;
    /// The same path for all names of a file.
    fn identity(&self, path: &Path) -> PathBuf;
}

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn list(&self, path: &Path) -> Result<Vec<PathBuf>, String> {
        let entries = std::fs::read_dir(path).map_err(|error| error.to_string())?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        Ok(paths)
    }

    fn is_directory(&self, path: &Path) -> Option<bool> {
        std::fs::metadata(path).ok().map(|found| found.is_dir())
    }

    fn identity(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
    }
}

/// A program that was read and checked.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The name of the project.
    pub name: String,
    /// The files.
    pub sources: Sources,
    /// The program. It can be run if there are no errors.
    pub program: Program,
    /// Errors and warnings, sorted.
    pub diagnostics: Diagnostics,
}

impl Compiled {
    /// All errors and warnings as text.
    pub fn render(&self, styled: bool) -> String {
        self.diagnostics.render(&self.sources, styled)
    }
}

/// Reads and checks the program that a path stands for.
///
/// # Errors
/// If there is nothing to check: the path does not exist, or there is no file of P.
pub fn compile(path: &Path, files: &dyn Files) -> Result<Compiled, String> {
    let mut reader = Reader {
        files,
        sources: Sources::default(),
        d: Diagnostics::default(),
        trees: Vec::new(),
        read: BTreeSet::new(),
        options: Options::default(),
    };
    let name = reader.path(path)?;
    let complete = reader.trees.iter().all(|tree| tree.complete) && !reader.unread();
    if reader.trees.is_empty() && !reader.d.has_errors() {
        return Err(format!("there is no file of P (`.p`) in {}", path.display()));
    }
    let program = match complete {
        true => check::check(&reader.trees, &reader.options, &mut reader.d),
        false => Program::default(),
    };
    reader.d.sort();
    Ok(Compiled { name, sources: reader.sources, program, diagnostics: reader.d })
}

/// Checks a program that is one text.
pub fn compile_text(path: &str, text: &str) -> Compiled {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    let file = sources.add(Source::new(path, text));
    let tree = parser::parse(sources.get(file), file, &mut diagnostics);
    let program = match tree.complete {
        true => check::check(&[tree], &Options::default(), &mut diagnostics),
        false => Program::default(),
    };
    diagnostics.sort();
    Compiled { name: path.to_string(), sources, program, diagnostics }
}

struct Reader<'a> {
    files: &'a dyn Files,
    sources: Sources,
    d: Diagnostics,
    trees: Vec<ast::File>,
    /// What was read, by identity.
    read: BTreeSet<PathBuf>,
    options: Options,
}

impl Reader<'_> {
    /// Whether a file could not be read, so that declarations may be missing.
    fn unread(&self) -> bool {
        self.trees.len() < self.sources.iter().filter(|source| source.path.ends_with(".p")).count()
    }

    /// Reads what a path stands for; returns the name of the project.
    fn path(&mut self, path: &Path) -> Result<String, String> {
        match self.files.is_directory(path) {
            None => Err(format!("there is no file or directory {}", path.display())),
            Some(true) => self.directory(path),
            Some(false) if has_ending(path, "pproj") => {
                self.project(path, None).map_err(|why| format!("{}: {why}", path.display()))
            }
            Some(false) if has_ending(path, "p") => {
                self.file(path).map_err(|why| format!("{}: {why}", path.display()))?;
                Ok(stem(path))
            }
            Some(false) => Err(format!(
                "expected a file of P (`.p`), a project file (`.pproj`) or a directory, found {}",
                path.display()
            )),
        }
    }

    fn directory(&mut self, path: &Path) -> Result<String, String> {
        let failed = |why: String| format!("{}: {why}", path.display());
        let entries: Vec<PathBuf> =
            self.files.list(path).map_err(failed)?.into_iter().filter(|entry| !hidden(entry)).collect();
        let projects: Vec<&PathBuf> = entries
            .iter()
            .filter(|entry| has_ending(entry, "pproj") && self.files.is_directory(entry) == Some(false))
            .collect();
        match projects.as_slice() {
            [project] => return self.project(project, None).map_err(|why| format!("{}: {why}", project.display())),
            [_, _, ..] => {
                let names: Vec<String> = projects.iter().map(|project| project.display().to_string()).collect();
                return Err(format!("there are several project files; name one of {}", names.join(", ")));
            }
            [] => {}
        }
        for entry in &entries {
            if self.files.is_directory(entry) == Some(true) {
                let below = self.files.list(entry).unwrap_or_default();
                for file in below.iter().filter(|file| is_program(file) && self.files.is_directory(file) == Some(false))
                {
                    self.file(file).map_err(|why| format!("{}: {why}", file.display()))?;
                }
            } else if is_program(entry) {
                self.file(entry).map_err(|why| format!("{}: {why}", entry.display()))?;
            }
        }
        Ok(stem(&self.files.identity(path)))
    }

    /// Reads a file of P once.
    fn file(&mut self, path: &Path) -> Result<(), String> {
        if !self.read.insert(self.files.identity(path)) {
            return Ok(());
        }
        let bytes = self.files.read(path)?;
        if let Some(file) = self.text(path, bytes)? {
            let tree = parser::parse(self.sources.get(file), file, &mut self.d);
            self.trees.push(tree);
        }
        Ok(())
    }

    /// Adds a file; nothing if it is not UTF-8, which is reported.
    fn text(&mut self, path: &Path, bytes: Vec<u8>) -> Result<Option<u32>, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("the file is larger than {MAX_BYTES} bytes"));
        }
        let shown = clean(path).display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(self.sources.add(Source::new(&shown, &text)))),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let mark = error.as_bytes().starts_with(&[0xEF, 0xBB, 0xBF]);
                let file = self.sources.add(Source::new(&shown, &String::from_utf8_lossy(error.as_bytes())));
                let start = (valid - if mark { 3 } else { 0 }) as u32;
                let span = Span { file, start, end: start + '\u{fffd}'.len_utf8() as u32 };
                let message = "the file is not valid UTF-8 from this byte on";
                self.d.push(Diagnostic::error(span, message).help("save it as UTF-8"));
                Ok(None)
            }
        }
    }

    /// Reads a project file and what it names. `from` is the place that includes it.
    fn project(&mut self, path: &Path, from: Option<Span>) -> Result<String, String> {
        if !self.read.insert(self.files.identity(path)) {
            return Ok(String::new());
        }
        let bytes = self.files.read(path)?;
        let before = self.sources.len();
        let name = stem(path);
        let Some(file) = self.text(path, bytes)? else { return Ok(name) };
        let text = self.sources.get(file).text.clone();
        let elements = match xml::elements(&text) {
            Ok(elements) => elements,
            Err((at, why)) => {
                let span = Span { file, start: at as u32, end: at as u32 };
                self.d.push(Diagnostic::error(span, format!("the project file is not understood: {why}")));
                return Ok(name);
            }
        };
        let name = self.entries(path, file, &elements, name);
        if from.is_some() {
            // The tests of an included project are its own.
            self.options.without_tests.extend(before as u32..self.sources.len() as u32);
        }
        Ok(name)
    }

    fn entries(&mut self, path: &Path, file: u32, elements: &[xml::Element], mut name: String) -> String {
        let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let (mut listed, mut included) = (Vec::new(), Vec::new());
        for element in elements {
            let span = Span { file, start: element.span.0 as u32, end: element.span.1 as u32 };
            match element.path.last().map(String::as_str) {
                Some("ProjectName") if is_name(&element.text) => name.clone_from(&element.text),
                Some("ProjectName") => {
                    let message = format!("`{}` cannot be the name of a project", element.text);
                    self.d.push(Diagnostic::error(span, message).help("a name has letters, digits and `_`"));
                }
                Some("PFile") => listed.push((base.join(&element.text), span)),
                Some("IncludeProject") => included.push((base.join(&element.text), span)),
                _ => {}
            }
        }
        if listed.is_empty() && included.is_empty() {
            let span = Span { file, start: 0, end: 0 };
            let help = "write `<Project><InputFiles><PFile>./PSrc/</PFile></InputFiles></Project>`";
            self.d.push(Diagnostic::error(span, "the project lists no files").help(help));
        }
        for (path, span) in listed {
            let result = match self.files.is_directory(&path) {
                None => Err("there is no such file or directory".to_string()),
                Some(true) => self.below(&path, MAX_DEPTH),
                Some(false) if has_ending(&path, "p") => self.file(&path),
                Some(false) => Ok(()),
            };
            self.report(result, &path, span);
        }
        for (path, span) in included {
            let result = match self.files.is_directory(&path) {
                None => Err("there is no such project file".to_string()),
                Some(_) => self.project(&path, Some(span)).map(drop),
            };
            self.report(result, &path, span);
        }
        name
    }

    fn report(&mut self, result: Result<(), String>, path: &Path, span: Span) {
        if let Err(why) = result {
            let message = format!("{} cannot be read: {why}", clean(path).display());
            self.d.push(Diagnostic::error(span, message).help("the path is relative to the project file"));
        }
    }

    /// All files of P in a directory and below.
    fn below(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        if depth == 0 || !self.read.insert(self.files.identity(path)) {
            return Ok(());
        }
        for entry in self.files.list(path)? {
            if hidden(&entry) {
                continue;
            }
            if self.files.is_directory(&entry) == Some(true) {
                self.below(&entry, depth - 1)?;
            } else if is_program(&entry) {
                self.file(&entry).map_err(|why| format!("{}: {why}", entry.display()))?;
            }
        }
        Ok(())
    }
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

fn is_program(path: &Path) -> bool {
    has_ending(path, "p") && !hidden(path)
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// The path without `.` in it.
fn clean(path: &Path) -> PathBuf {
    let kept: PathBuf = path.components().filter(|part| !matches!(part, Component::CurDir)).collect();
    if kept.as_os_str().is_empty() { path.to_path_buf() } else { kept }
}
