//! The layout of trace files: a line for each field, and within the outermost lists a line for each process, message and step. So a
//! file can be read by people, compared line by line, and an error that names a line names a step.

use serde_json::ser::Formatter;
use std::io::{Result, Write};

/// Breaks lines in the outermost object and in the lists directly in it.
#[derive(Default)]
pub struct Lines {
    /// For each open bracket: whether its elements are on lines of their own, and whether it has elements.
    open: Vec<(bool, bool)>,
}

impl Lines {
    fn begin(&mut self, breaks: bool) {
        self.open.push((breaks, false));
    }

    fn next<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        let depth = self.open.len();
        let breaks = self.open.last().is_some_and(|&(breaks, _)| breaks);
        if let Some((_, filled)) = self.open.last_mut() {
            *filled = true;
        }
        if !first {
            writer.write_all(b",")?;
        }
        if breaks { self.line(writer, depth) } else { Ok(()) }
    }

    fn end<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        match self.open.pop() {
            Some((true, true)) => self.line(writer, self.open.len()),
            _ => Ok(()),
        }
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W, depth: usize) -> Result<()> {
        writer.write_all(b"\n")?;
        (0..depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(self.open.len() == 1);
        writer.write_all(b"[")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.next(writer, first)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer)?;
        writer.write_all(b"]")
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(self.open.is_empty());
        writer.write_all(b"{")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(if self.open.len() == 1 { b": " } else { b":" })
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer)?;
        writer.write_all(b"}")
    }
}
