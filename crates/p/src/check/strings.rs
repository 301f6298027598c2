//! String literals: escapes, and places for arguments. A literal is a format: `{0}` is a place, and `{{` and `}}` are braces, also where there are no
//! arguments.

use crate::hir::Piece;

/// The text of a literal without its quotation marks, as pieces.
///
/// # Errors
/// If an escape or a place is not understood.
pub(super) fn pieces(raw: &str) -> Result<Vec<Piece>, String> {
    let text = unescape(raw)?;
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                plain.push(c);
            }
            '{' => {
                let mut digits = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                let number = digits.parse().ok().filter(|_| chars.next() == Some('}'));
                let Some(number) = number.filter(|&number: &u32| number < 1_000) else {
                    return Err("expected a place such as `{0}`; a brace itself is written `{{`".to_string());
                };
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Arg(number));
            }
            '}' => return Err("this string has a `}` without a `{`; a brace itself is written `}}`".to_string()),
            _ => plain.push(c),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// How many arguments a format needs.
pub(super) fn arguments(pieces: &[Piece]) -> usize {
    let numbers = pieces.iter().map(|piece| match piece {
        Piece::Text(_) => 0,
        Piece::Arg(number) => *number as usize + 1,
    });
    numbers.max().unwrap_or(0)
}

/// The text of a format without places.
pub(super) fn plain(pieces: Vec<Piece>) -> String {
    let text = |piece| match piece {
        Piece::Text(text) => text,
        Piece::Arg(_) => String::new(),
    };
    pieces.into_iter().map(text).collect()
}

/// The escapes of C#, because the reference compiler hands literals to a C# compiler.
fn unescape(raw: &str) -> Result<String, String> {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        let escape = chars.next().unwrap_or('\\');
        let digits = match escape {
            'u' => 4,
            'U' => 8,
            'x' => 4,
            _ => 0,
        };
        text.push(match escape {
            '\'' | '"' | '\\' => escape,
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'u' | 'U' | 'x' => {
                let mut code = String::new();
                while code.len() < digits && chars.clone().next().is_some_and(|c| c.is_ascii_hexdigit()) {
                    code.extend(chars.next());
                }
                let enough = if escape == 'x' { !code.is_empty() } else { code.len() == digits };
                let value = u32::from_str_radix(&code, 16).ok().filter(|_| enough).and_then(char::from_u32);
                value.ok_or_else(|| format!("`\\{escape}{code}` is no character"))?
            }
            other => return Err(format!("`\\{other}` is no escape; a backslash itself is written `\\\\`")),
        });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_places() {
        let text = |text: &str| Piece::Text(text.to_string());
        assert_eq!(pieces("a{0}{{b}}{12}"), Ok(vec![text("a"), Piece::Arg(0), text("{b}"), Piece::Arg(12)]));
        assert_eq!(arguments(&pieces("{1}x{0}").unwrap()), 2);
        assert_eq!(plain(pieces(r#"a\"\t\u0041"#).unwrap()), "a\"\tA");
        for bad in ["{", "}", "{a}", "{0", "{ 0}", "{}", "{99999}", r"\q", r"\u12"] {
            assert!(pieces(bad).is_err(), "{bad}");
        }
    }
}
