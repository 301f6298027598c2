//! Splits the textual form into tokens.

use super::parse::SyntaxError;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name, also of several parts with dots between them.
    Name(String),
    /// A number without a sign.
    Number(u64),
    /// A string.
    Text(String),
    /// A sign, or two that belong together.
    Sign(&'static str),
    /// The end.
    End,
}

impl Token {
    /// As it is shown in messages.
    pub fn show(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_string(),
        }
    }
}

/// A token with its line and column.
pub type Located = (Token, u32, u32);

const SIGNS: [&str; 36] = [
    "->", "::", "==", "!=", "<=", ">=", "&&", "||", "{", "}", "(", ")", "[", "]", ";", ":", ",", ".", "=", "+", "-",
    "*", "/", "%", "<", ">", "@", "#", "?", "$", "!", "&", "|", "~", "^", "'",
];

/// The tokens of a text; the last one is the end.
pub fn tokens(text: &str) -> Result<Vec<Located>, SyntaxError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.space();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push((token, line, column));
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl Lexer<'_> {
    fn skip(&mut self, bytes: usize) {
        for c in self.rest[..bytes].chars() {
            (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.rest = &self.rest[bytes..];
    }

    /// Skips white space, and comments that begin with `//`.
    fn space(&mut self) {
        loop {
            let start = self.rest.len() - self.rest.trim_start().len();
            self.skip(start);
            if !self.rest.starts_with("//") {
                return;
            }
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { line: self.line, column: self.column, message: message.into() }
    }

    fn token(&mut self) -> Result<Token, SyntaxError> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_alphabetic() || first == '_' {
            let length = name_length(self.rest);
            let name = self.rest[..length].to_string();
            self.skip(length);
            return Ok(Token::Name(name));
        }
        if first.is_ascii_digit() {
            let length = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let number = self.rest[..length].parse().map_err(|_| self.error("the number is too large"))?;
            self.skip(length);
            return Ok(Token::Number(number));
        }
        if first == '"' {
            return self.string();
        }
        let Some(sign) = SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) else {
            return Err(self.error(format!("unexpected character {first:?}")));
        };
        self.skip(sign.len());
        Ok(Token::Sign(sign))
    }

    /// A string as Rust writes it.
    fn string(&mut self) -> Result<Token, SyntaxError> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.skip(at + 1);
                    return Ok(Token::Text(text));
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some('0') => text.push('\0'),
                    Some(c @ ('\\' | '"' | '\'')) => text.push(c),
                    Some('u') => {
                        let digits: String =
                            chars.by_ref().map(|(_, c)| c).skip(1).take_while(|&c| c != '}').take(8).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        text.push(code.ok_or_else(|| self.error("a bad escape in a string"))?);
                    }
                    _ => return Err(self.error("a bad escape in a string")),
                },
                c => text.push(c),
            }
        }
        Err(self.error("the string has no end"))
    }
}

/// The length of the name at the beginning of a text: parts with dots between them.
fn name_length(text: &str) -> usize {
    let part = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '~')).unwrap_or(rest.len())
    };
    let mut end = part(0);
    while text[end..].starts_with('.') && text[end + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        end = part(end + 1);
    }
    end
}
