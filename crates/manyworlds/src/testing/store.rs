//! The file that holds the trace of a failing test, one for each test, and the page that shows it: replaced as a whole or not at all.

use super::{Environment, TestCase};
use manyworlds_core::Trace;
use manyworlds_report::html::{Page, html};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the trace of a test is kept.
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// `.manyworlds/<package>-<module>-<test>.json` beside the manifest.
    pub fn of(case: &TestCase, environment: &Environment) -> Store {
        let beside = || Path::new(case.directory).join(".manyworlds");
        let directory = environment.directory.clone().unwrap_or_else(beside);
        let module = case.module.replace("::", "-");
        Store { path: directory.join(format!("{}-{module}-{}.json", case.package, case.name)) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The trace of the last failure, if there is one; the error says why it cannot be used.
    pub fn load(&self) -> Option<Result<Trace, String>> {
        match read(&self.path) {
            Err(_) if !self.path.exists() => None,
            other => Some(other),
        }
    }

    /// The page that shows the trace.
    pub fn page(&self) -> PathBuf {
        self.path.with_extension("html")
    }

    /// Keeps a trace.
    pub fn save(&self, trace: &Trace) -> io::Result<()> {
        write(&self.path, &trace.to_json())
    }

    /// Keeps the page that shows a trace; where it is.
    pub fn save_page(&self, trace: &Trace) -> io::Result<PathBuf> {
        let page = self.page();
        write(&page, &html(&Page { title: &trace.model, trace: Some(trace), ..Page::default() }))?;
        Ok(page)
    }

    /// Forgets the trace, and the page with it.
    pub fn remove(&self) -> io::Result<()> {
        let _ = fs::remove_file(self.page());
        fs::remove_file(&self.path)
    }
}

/// Writes a file beside the old one and puts it in its place.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = directory.join(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, file));
    written.inspect_err(|_| drop(fs::remove_file(&draft)))
}

/// Reads a trace; the error names the file.
pub fn read(path: &Path) -> Result<Trace, String> {
    let named = |problem: String| format!("{}: {problem}", path.display());
    let bytes = fs::read(path).map_err(|e| named(e.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| named("expected a `manyworlds-trace/2` file, which is UTF-8".to_string()))?;
    Trace::from_json(&text).map_err(|e| named(e.to_string()))
}
