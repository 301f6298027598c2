//! A parser for the subset of EDN that histories use: nil, Booleans, integers, strings, keywords, symbols, vectors, lists, sets, maps, tags, comments.

use crate::recorded::BadLine;
use crate::value::Value;
use std::fmt;

/// A form of EDN.
#[derive(Clone, PartialEq, Debug)]
pub enum Edn {
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A string.
    Str(String),
    /// `:name`, without the colon.
    Keyword(String),
    /// Any other word, such as a decimal number.
    Symbol(String),
    /// A vector, list or set.
    List(Vec<Edn>),
    /// A map, in the order of the file.
    Map(Vec<(Edn, Edn)>),
}

/// The maximal nesting depth of forms.
const DEEPEST: usize = 64;

impl Edn {
    /// The value of a keyword in a map.
    pub fn get(&self, name: &str) -> Option<&Edn> {
        match self {
            Edn::Map(pairs) => {
                pairs.iter().find(|(key, _)| matches!(key, Edn::Keyword(key) if key == name)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Converts to a value. Keywords and symbols become strings.
    pub fn to_value(&self) -> Result<Value, String> {
        Ok(match self {
            Edn::Nil => Value::Nil,
            Edn::Bool(truth) => Value::Bool(*truth),
            Edn::Int(number) => Value::Int(*number),
            Edn::Str(text) | Edn::Keyword(text) | Edn::Symbol(text) => Value::Str(text.clone()),
            Edn::List(items) => Value::List(items.iter().map(Edn::to_value).collect::<Result<_, _>>()?),
            Edn::Map(..) => return Err("a map is not a value; expected nil, a number, a text or a vector".to_string()),
        })
    }
}

impl fmt::Display for Edn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edn::Nil => f.write_str("nil"),
            Edn::Bool(truth) => write!(f, "{truth}"),
            Edn::Int(number) => write!(f, "{number}"),
            Edn::Str(text) => write!(f, "{text:?}"),
            Edn::Keyword(name) => write!(f, ":{name}"),
            Edn::Symbol(name) => f.write_str(name),
            Edn::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", items.join(" "))
            }
            Edn::Map(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} {value}")).collect();
                write!(f, "{{{}}}", pairs.join(", "))
            }
        }
    }
}

/// All forms of a text.
pub fn parse(text: &str) -> Result<Vec<Edn>, BadLine> {
    forms(Reader { rest: text, line: 1 })
}

fn forms(mut reader: Reader<'_>) -> Result<Vec<Edn>, BadLine> {
    let mut forms = Vec::new();
    while let Some(form) = reader.form(0)? {
        forms.push(form);
    }
    reader.expect_end()?;
    Ok(forms)
}

/// The items of all vectors and lists of a text, and all other forms of it, each with its line.
pub fn items(text: &str) -> Result<Vec<(usize, Edn)>, BadLine> {
    let mut items = Vec::new();
    match each(Reader { rest: text, line: 1 }, &mut |line, form| items.push((line, form))) {
        Ok(()) => Ok(items),
        Err(bad) => Err(bad_line(text).unwrap_or(bad)),
    }
}

/// If every line begins with a map of its own, the error in the first malformed line. Otherwise a missing bracket in that line would be reported at a
/// much later line.
fn bad_line(text: &str) -> Option<BadLine> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| line.starts_with('{'));
    let alone = |(at, line)| forms(Reader { rest: line, line: at + 1 });
    alone(lines.next()?).ok()?;
    lines.find_map(|line| alone(line).err())
}

/// The first item for which `wanted` holds, if there is no error before it.
pub fn first(text: &str, wanted: impl Fn(&Edn) -> bool) -> Option<Edn> {
    // In most files the item is near the beginning, so the whole file need not be parsed.
    let mut reader = Reader { rest: text, line: 1 };
    loop {
        reader.skip_blank();
        if reader.rest.starts_with(['[', '(']) {
            reader.skip(1);
            continue;
        }
        match reader.form(1).ok()?? {
            Edn::List(forms) => {
                if let Some(form) = forms.into_iter().find(&wanted) {
                    return Some(form);
                }
            }
            form if wanted(&form) => return Some(form),
            _ => {}
        }
    }
}

fn each(mut reader: Reader<'_>, add: &mut dyn FnMut(usize, Edn)) -> Result<(), BadLine> {
    loop {
        reader.skip_blank();
        let line = reader.line;
        let closer = match reader.rest.as_bytes().first() {
            Some(b'[') => ']',
            Some(b'(') => ')',
            _ => match reader.form(0)? {
                // After a tag.
                Some(Edn::List(forms)) => {
                    forms.into_iter().for_each(|form| add(line, form));
                    continue;
                }
                Some(form) => {
                    add(line, form);
                    continue;
                }
                None => break,
            },
        };
        reader.sequence(1, closer, 0, add)?;
    }
    reader.expect_end()
}

/// The only form in a line of a text.
pub fn parse_line(text: &str, line: usize) -> Result<Edn, BadLine> {
    let mut forms = forms(Reader { rest: text, line })?;
    match (forms.pop(), forms.is_empty()) {
        (Some(form), true) => Ok(form),
        (None, _) => Err(BadLine::new(line, "there is nothing; expected one value")),
        _ => Err(BadLine::new(line, "there is more than one value")),
    }
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl Reader<'_> {
    fn bad(&self, problem: impl Into<String>) -> BadLine {
        BadLine::new(self.line, problem)
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }

    /// Skips white space, commas and comments.
    fn skip_blank(&mut self) {
        loop {
            let blank = self.rest.find(|c: char| !c.is_whitespace() && c != ',').unwrap_or(self.rest.len());
            self.skip(blank);
            if !self.rest.starts_with(';') {
                return;
            }
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    /// The next form; `None` at the end of the text or of the enclosing form.
    fn form(&mut self, depth: usize) -> Result<Option<Edn>, BadLine> {
        if depth > DEEPEST {
            return Err(self.bad(format!("nested deeper than {DEEPEST} forms")));
        }
        self.skip_blank();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let line = self.line;
        Ok(Some(match first {
            ')' | ']' | '}' => return Ok(None),
            '[' => Edn::List(self.forms(1, ']', depth)?),
            '(' => Edn::List(self.forms(1, ')', depth)?),
            '{' => {
                let forms = self.forms(1, '}', depth)?;
                let (pairs, odd) = forms.as_chunks::<2>();
                if !odd.is_empty() {
                    return Err(BadLine::new(line, "a map with a key but no value for it"));
                }
                Edn::Map(pairs.iter().map(|[key, value]| (key.clone(), value.clone())).collect())
            }
            '"' => self.string()?,
            '#' => return self.dispatch(depth),
            _ => self.atom()?,
        }))
    }

    /// Sets, discarded forms, tags.
    fn dispatch(&mut self, depth: usize) -> Result<Option<Edn>, BadLine> {
        if self.rest.starts_with("#{") {
            return Ok(Some(Edn::List(self.forms(2, '}', depth)?)));
        }
        let discards = self.rest.starts_with("#_");
        let tag = if discards { 2 } else { self.word() };
        self.skip(tag);
        let form = self.form(depth + 1)?.ok_or_else(|| self.bad("a tag without a form after it"))?;
        if discards { self.form(depth + 1) } else { Ok(Some(form)) }
    }

    fn forms(&mut self, opener: usize, closer: char, depth: usize) -> Result<Vec<Edn>, BadLine> {
        let mut forms = Vec::new();
        self.sequence(opener, closer, depth, &mut |_, form| forms.push(form))?;
        Ok(forms)
    }

    /// The forms between an opening and its closing delimiter, each with its line.
    fn sequence(
        &mut self,
        opener: usize,
        closer: char,
        depth: usize,
        add: &mut dyn FnMut(usize, Edn),
    ) -> Result<(), BadLine> {
        let start = self.line;
        self.skip(opener);
        loop {
            self.skip_blank();
            let line = self.line;
            match self.form(depth + 1)? {
                Some(form) => add(line, form),
                None => break,
            }
        }
        match self.rest.chars().next() {
            Some(found) if found == closer => {
                self.skip(1);
                Ok(())
            }
            Some(found) => Err(self.bad(format!("`{found}` where `{closer}` is expected (opened in line {start})"))),
            None => Err(self.bad(format!("the text ends where `{closer}` is expected (opened in line {start})"))),
        }
    }

    fn expect_end(&self) -> Result<(), BadLine> {
        match self.rest.chars().next() {
            None => Ok(()),
            Some(closer) => Err(self.bad(format!("`{closer}` closes nothing"))),
        }
    }

    fn string(&mut self) -> Result<Edn, BadLine> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.skip(at + 1);
                    return Ok(Edn::Str(text));
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('u') => {
                        let code: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                        text.push(
                            code.ok_or_else(|| self.bad("a text with a bad \\u escape; expected four hex digits"))?,
                        );
                    }
                    Some(c @ ('"' | '\\')) => text.push(c),
                    _ => return Err(self.bad("a text with an unknown escape")),
                },
                _ => text.push(c),
            }
        }
        Err(self.bad("a text that does not end"))
    }

    /// The length of the next word.
    fn word(&self) -> usize {
        let ends = |c: char| c.is_whitespace() || "()[]{}\",;".contains(c);
        self.rest.find(ends).unwrap_or(self.rest.len())
    }

    fn atom(&mut self) -> Result<Edn, BadLine> {
        let word = &self.rest[..self.word()];
        let atom = match word {
            "nil" => Edn::Nil,
            "true" => Edn::Bool(true),
            "false" => Edn::Bool(false),
            _ => match (word.strip_prefix(':'), word.strip_suffix('N').unwrap_or(word).parse()) {
                (Some(name), _) => Edn::Keyword(name.to_string()),
                (None, Ok(number)) => Edn::Int(number),
                (None, Err(_)) => Edn::Symbol(word.to_string()),
            },
        };
        self.skip(word.len());
        Ok(atom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_supported_subset() {
        let forms = parse("; a comment\n[1 -2 3N :a \"x\\n\\u0041\" nil, true] #{4} (b #_ignored 1.5) #op{:k {:v []}}")
            .unwrap();
        assert_eq!(forms.len(), 4);
        let first = forms[0].to_value().unwrap();
        assert_eq!(first.to_string(), "[1 -2 3 \"a\" \"x\\nA\" nil true]");
        assert_eq!(forms[2], Edn::List(vec![Edn::Symbol("b".into()), Edn::Symbol("1.5".into())]));
        assert_eq!(forms[3].get("k").and_then(|inner| inner.get("v")), Some(&Edn::List(vec![])));
    }

    #[test]
    fn errors_name_their_line() {
        for (text, line, problem) in [
            ("[1\n2", 2, "the text ends where `]` is expected (opened in line 1)"),
            ("{:a}", 1, "a map with a key but no value for it"),
            ("\n(1]", 2, "`]` where `)` is expected (opened in line 2)"),
            ("1\n}", 2, "`}` closes nothing"),
            ("\"abc", 1, "a text that does not end"),
            ("#x", 1, "a tag without a form after it"),
            (&"[".repeat(100_000), 1, "nested deeper than 64 forms"),
        ] {
            assert_eq!(parse(text), Err(BadLine::new(line, problem)));
        }
    }
}
