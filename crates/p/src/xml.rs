//! As much of XML as project files need: elements with text. Attributes, comments and declarations are skipped.

/// An element with its text, or where the file is not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The names of the elements around it and its own, outermost first.
    pub path: Vec<String>,
    /// The text directly in it, without white space around it.
    pub text: String,
    /// The bytes of the text in the file.
    pub span: (usize, usize),
}

/// An open element: its name, its text so far, and where that is.
type Open = (String, String, Option<(usize, usize)>);

/// The elements in the order in which they end.
///
/// # Errors
/// If the text is no XML: the byte, and what is wrong.
pub fn elements(text: &str) -> Result<Vec<Element>, (usize, String)> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(end) = skipped(rest) {
            at += end.map_err(|why| (at, why.to_string()))?;
        } else if let Some(tag) = rest.strip_prefix('<') {
            let length = tag.find('>').ok_or((at, "this `<` is not closed".to_string()))?;
            let tag = &tag[..length];
            if let Some(name) = tag.strip_prefix('/') {
                let name = name.trim();
                let path = open.iter().map(|element| element.0.clone()).collect();
                let Some((opened, text, span)) = open.pop() else {
                    return Err((at, format!("`</{name}>` closes nothing")));
                };
                if opened != name {
                    return Err((at, format!("expected `</{opened}>`, found `</{name}>`")));
                }
                found.push(Element { path, text, span: span.unwrap_or((at, at)) });
            } else {
                let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or("");
                if name.is_empty() {
                    return Err((at, "expected the name of an element after `<`".to_string()));
                }
                if !tag.ends_with('/') {
                    open.push((name.to_string(), String::new(), None));
                }
            }
            at += length + 2;
        } else {
            let length = rest.find('<').unwrap_or(rest.len());
            let plain = rest[..length].trim();
            if !plain.is_empty() {
                let start = at + rest[..length].len() - rest[..length].trim_start().len();
                let Some((_, text, span)) = open.last_mut() else {
                    return Err((start, "expected `<`".to_string()));
                };
                text.push_str(&unescape(plain));
                *span = Some((span.map_or(start, |span| span.0), start + plain.len()));
            }
            at += length;
        }
    }
    match open.last() {
        Some((name, ..)) => Err((text.len(), format!("expected `</{name}>`, found the end of the file"))),
        None => Ok(found),
    }
}

/// The length of a comment or a declaration at the beginning, if there is one.
fn skipped(rest: &str) -> Option<Result<usize, &'static str>> {
    let (open, close) = match rest {
        _ if rest.starts_with("<!--") => (4, "-->"),
        _ if rest.starts_with("<?") => (2, "?>"),
        _ if rest.starts_with("<!") => (2, ">"),
        _ => return None,
    };
    let end = rest[open..].find(close).map(|end| open + end + close.len());
    Some(end.ok_or("this comment or declaration is not closed"))
}

fn unescape(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_paths_and_texts() {
        let text = "<?xml version='1.0'?>\n<!-- a > b --><P a='1'>\n <F> x &amp; y </F><G/><F/></P>\n";
        let found = elements(text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].path.join("/"), &*found[0].text), ("P/F".to_string(), "x & y"));
        assert_eq!(&text[found[0].span.0..found[0].span.1], "x &amp; y");
        assert_eq!(found[1].path, ["P"]);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, at) in [("<a>", 3), ("<a></b>", 3), ("x", 0), ("</a>", 0), ("<a", 0), ("<!-- ", 0), ("< >", 0)] {
            assert_eq!(elements(text).unwrap_err().0, at, "{text}");
        }
    }
}
