//! Tokens. The lexer never fails: what is no token of P becomes a [`Token::Bad`] token, which the parser reports.
//!
//! Words that only the verifier of P reserves (`exists`, `invariant`, …) are ordinary identifiers here. The parser recognises the constructs that they
//! introduce by their place.

use crate::source::Span;
use logos::Logos;

macro_rules! keywords {
    ($($variant:ident = $text:literal),+ $(,)?) => {
        /// A token of P.
        #[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[logos(skip r"[ \t\r\n\f]+")]
        #[logos(skip r"//[^\n]*")]
        pub enum Token {
            $(#[doc = concat!("The keyword `", $text, "`.")] #[token($text)] $variant,)+
            /// A name.
            #[regex("[A-Za-z_][A-Za-z0-9_]*", priority = 2)]
            Ident,
            /// Digits.
            #[regex("[0-9]+")]
            Int,
            /// A text in quotation marks.
            #[token("\"", |lexer| string_end(lexer))]
            Str,
            /// `!`
            #[token("!")]
            Bang,
            /// `&&`
            #[token("&&")]
            AndAnd,
            /// `||`
            #[token("||")]
            OrOr,
            /// `==`
            #[token("==")]
            EqEq,
            /// `!=`
            #[token("!=")]
            Ne,
            /// `<`
            #[token("<")]
            Lt,
            /// `>`
            #[token(">")]
            Gt,
            /// `<=`
            #[token("<=")]
            Le,
            /// `>=`
            #[token(">=")]
            Ge,
            /// `+`
            #[token("+")]
            Plus,
            /// `-`
            #[token("-")]
            Minus,
            /// `*`
            #[token("*")]
            Star,
            /// `/`
            #[token("/")]
            Slash,
            /// `%`
            #[token("%")]
            Percent,
            /// `=`
            #[token("=")]
            Eq,
            /// `+=`
            #[token("+=")]
            PlusEq,
            /// `-=`
            #[token("-=")]
            MinusEq,
            /// `->`
            #[token("->")]
            Arrow,
            /// `.`
            #[token(".")]
            Dot,
            /// `,`
            #[token(",")]
            Comma,
            /// `;`
            #[token(";")]
            Semi,
            /// `:`
            #[token(":")]
            Colon,
            /// `(`
            #[token("(")]
            LParen,
            /// `)`
            #[token(")")]
            RParen,
            /// `{`
            #[token("{")]
            LBrace,
            /// `}`
            #[token("}")]
            RBrace,
            /// `[`
            #[token("[")]
            LBracket,
            /// `]`
            #[token("]")]
            RBracket,
            /// `$`
            #[token("$")]
            Dollar,
            /// `$$`
            #[token("$$")]
            DollarDollar,
            /// `==>`, of the verifier.
            #[token("==>")]
            Implies,
            /// `<==>`, of the verifier.
            #[token("<==>")]
            Iff,
            /// `/* … */`; removed before the parser sees it, unless it is not closed.
            #[token("/*", |lexer| comment_end(lexer))]
            Comment,
            /// What is no token.
            Bad,
            /// The end of the file.
            End,
        }

        impl Token {
            /// How a message names the token.
            pub fn describe(self) -> &'static str {
                match self {
                    $(Token::$variant => concat!("`", $text, "`"),)+
                    Token::Ident => "a name", Token::Int => "a number", Token::Str => "a string", Token::Bang => "`!`",
                    Token::AndAnd => "`&&`", Token::OrOr => "`||`", Token::EqEq => "`==`", Token::Ne => "`!=`",
                    Token::Lt => "`<`", Token::Gt => "`>`", Token::Le => "`<=`", Token::Ge => "`>=`", Token::Plus => "`+`",
                    Token::Minus => "`-`", Token::Star => "`*`", Token::Slash => "`/`", Token::Percent => "`%`",
                    Token::Eq => "`=`", Token::PlusEq => "`+=`", Token::MinusEq => "`-=`", Token::Arrow => "`->`",
                    Token::Dot => "`.`", Token::Comma => "`,`", Token::Semi => "`;`", Token::Colon => "`:`",
                    Token::LParen => "`(`", Token::RParen => "`)`", Token::LBrace => "`{`", Token::RBrace => "`}`",
                    Token::LBracket => "`[`", Token::RBracket => "`]`", Token::Dollar => "`$`", Token::DollarDollar => "`$$`",
                    Token::Implies => "`==>`", Token::Iff => "`<==>`", Token::Comment => "a comment", Token::Bad => "an unknown character",
                    Token::End => "the end of the file",
                }
            }

            /// Whether the token is a reserved word.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(Token::$variant)|+)
            }
        }

        /// All reserved words of P but those of the verifier.
        pub const KEYWORDS: &[&str] = &[$($text),+];
    };
}

keywords! {
    Any = "any", Bool = "bool", Enum = "enum", Event = "event", EventSet = "eventset", Float = "float", IntType = "int", Machine = "machine",
    Interface = "interface", Map = "map", Set = "set", StringType = "string", Seq = "seq", Data = "data", Announce = "announce", As = "as",
    Assert = "assert", Break = "break", Case = "case", Cold = "cold", Continue = "continue", Default = "default", Defer = "defer", Do = "do",
    Else = "else", Entry = "entry", Exit = "exit", Foreach = "foreach", Format = "format", Fun = "fun", Goto = "goto", Halt = "halt", Hot = "hot",
    If = "if", Ignore = "ignore", In = "in", Keys = "keys", New = "new", Observes = "observes", On = "on", Print = "print", Raise = "raise",
    Receive = "receive", Return = "return", Scenario = "scenario", Send = "send", Sizeof = "sizeof", Spec = "spec", Start = "start", State = "state",
    This = "this", Type = "type", Values = "values", Var = "var", Param = "param", Pairwise = "pairwise", Wise = "wise", While = "while",
    With = "with", Choose = "choose", Module = "module", Implementation = "implementation", Test = "test", ParamTest = "paramtest",
    Refines = "refines", Compose = "compose", Union = "union", HideE = "hidee", HideI = "hidei", Rename = "rename", Safe = "safe", Main = "main",
    Receives = "receives", Sends = "sends", Creates = "creates", To = "to", Assume = "assume", True = "true", False = "false", Null = "null",
}

/// Words that only the verifier of P reserves. They may be names here, with a warning, because P's own compiler refuses them.
pub const VERIFIER_WORDS: &[&str] = &[
    "invariant",
    "axiom",
    "is",
    "inflight",
    "targets",
    "sent",
    "Proof",
    "prove",
    "using",
    "Lemma",
    "Theorem",
    "except",
    "requires",
    "ensures",
    "forall",
    "exists",
    "pure",
];

fn string_end(lexer: &mut logos::Lexer<Token>) -> bool {
    let mut escaped = false;
    for (at, byte) in lexer.remainder().bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                lexer.bump(at + 1);
                return true;
            }
            _ => {}
        }
    }
    lexer.bump(lexer.remainder().len());
    false
}

fn comment_end(lexer: &mut logos::Lexer<Token>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find("*/");
    lexer.bump(end.map_or(rest.len(), |at| at + 2));
    end.is_some()
}

/// A token and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spanned {
    /// The token.
    pub token: Token,
    /// Its bytes.
    pub span: Span,
}

/// The tokens of a text, without comments and white space, ending with [`Token::End`]. Characters in a row that are no tokens become one token.
pub fn tokens(text: &str, file: u32) -> Vec<Spanned> {
    let mut found: Vec<Spanned> = Vec::with_capacity(text.len() / 4);
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span { file, start: range.start as u32, end: range.end as u32 };
        match (token, found.last_mut()) {
            (Ok(Token::Comment), _) => {}
            (Ok(token), _) => found.push(Spanned { token, span }),
            (Err(()), Some(last)) if last.token == Token::Bad && last.span.end == span.start => {
                last.span.end = span.end
            }
            (Err(()), _) => found.push(Spanned { token: Token::Bad, span }),
        }
    }
    let end = text.len() as u32;
    found.push(Spanned { token: Token::End, span: Span { file, start: end, end } });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        tokens(text, 0).into_iter().map(|spanned| spanned.token).collect()
    }

    #[test]
    fn takes_the_longest() {
        use Token::*;
        assert_eq!(kinds("a -> b -= 1 $$ $"), [Ident, Arrow, Ident, MinusEq, Int, DollarDollar, Dollar, End]);
        assert_eq!(kinds("machines machine"), [Ident, Machine, End]);
        assert_eq!(kinds("t.0.1"), [Ident, Dot, Int, Dot, Int, End]);
        assert_eq!(kinds("a <==> b ==> c == d"), [Ident, Iff, Ident, Implies, Ident, EqEq, Ident, End]);
    }

    #[test]
    fn comments_and_strings_end() {
        use Token::*;
        assert_eq!(kinds("/* a **/ x // y\n \"a\\\"b\n\" /**/"), [Ident, Str, End]);
        assert_eq!(kinds("x /* y"), [Ident, Bad, End]);
        assert_eq!(kinds("x \"y"), [Ident, Bad, End]);
        assert_eq!(kinds("##é## x"), [Bad, Ident, End]);
    }
}
