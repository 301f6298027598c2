//! The options of `#[manyworlds::test(…)]`. The table `OPTIONS` defines their names and the values that each accepts.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Ident, Lit, Result, Token, Type, UnOp};

/// The kind of value that an option takes.
enum Takes {
    /// A whole number that is at least this one.
    Number(u64),
    /// A number of seconds.
    Seconds,
    /// One of several words, each with the path of its value.
    Word(&'static [(&'static str, &'static str)]),
    /// A list of types.
    Types,
}

const OPTIONS: &[(&str, Takes)] = &[
    (
        "network",
        Takes::Word(&[
            ("asyn", "Network::Asyn"),
            ("p2p", "Network::P2p"),
            ("cd", "Network::Cd"),
            ("mbox", "Network::Mbox"),
        ]),
    ),
    ("threads", Takes::Number(1)),
    ("executions", Takes::Number(0)),
    ("max_executions", Takes::Number(1)),
    ("max_depth", Takes::Number(1)),
    ("max_steps", Takes::Number(1)),
    ("timeout", Takes::Seconds),
    ("loss_budget", Takes::Number(0)),
    ("deadlock", Takes::Word(&[("allow", "Deadlock::Allow"), ("forbid", "Deadlock::Forbid")])),
    ("incomplete", Takes::Word(&[("allow", "testing::Incomplete::Allow"), ("forbid", "testing::Incomplete::Forbid")])),
    ("monitors", Takes::Types),
];

/// The options of one test.
#[derive(Default)]
pub struct Options {
    /// The fields of `manyworlds::testing::Options` that were given.
    pub fields: Vec<TokenStream>,
    /// The types of the monitors.
    pub monitors: Vec<Type>,
    names: Vec<String>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Options> {
        let mut options = Options::default();
        while !input.is_empty() {
            options.option(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl Options {
    fn option(&mut self, input: ParseStream<'_>) -> Result<()> {
        let name: Ident =
            input.parse().map_err(|e| Error::new(e.span(), format!("expected an option: {}", known())))?;
        let text = name.to_string();
        let Some((_, takes)) = OPTIONS.iter().find(|(known, _)| *known == text) else {
            return Err(Error::new(name.span(), format!("unknown option `{text}`; there are {}", known())));
        };
        if self.names.contains(&text) {
            return Err(Error::new(name.span(), format!("`{text}` is given twice")));
        }
        if let Takes::Types = takes {
            self.monitors = types(&name, input)?;
        } else {
            let expr = value(&name, takes, input)?;
            let value = takes.check(&text, &expr)?;
            self.fields.push(quote!(#name: ::core::option::Option::Some(#value)));
        }
        self.names.push(text);
        Ok(())
    }
}

fn known() -> String {
    let names: Vec<String> = OPTIONS.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

/// Parses the value after `name =`.
fn value(name: &Ident, takes: &Takes, input: ParseStream<'_>) -> Result<Expr> {
    if !input.peek(Token![=]) {
        return Err(takes.mismatch(&name.to_string(), name.span()));
    }
    input.parse::<Token![=]>()?;
    input.parse().map_err(|e| takes.mismatch(&name.to_string(), e.span()))
}

/// Parses the list of types after `monitors`.
fn types(name: &Ident, input: ParseStream<'_>) -> Result<Vec<Type>> {
    if !input.peek(syn::token::Paren) {
        return Err(Takes::Types.mismatch(&name.to_string(), name.span()));
    }
    let list;
    syn::parenthesized!(list in input);
    Ok(Punctuated::<Type, Token![,]>::parse_terminated(&list)?.into_iter().collect())
}

impl Takes {
    /// Checks the value of an option and returns its expression in the expanded test.
    fn check(&self, name: &str, expr: &Expr) -> Result<TokenStream> {
        let value = match self {
            Takes::Number(least) => whole(expr, *least),
            Takes::Seconds => seconds(expr),
            Takes::Word(words) => word(expr, words),
            Takes::Types => None,
        };
        value.ok_or_else(|| self.mismatch(name, expr.span()))
    }

    fn mismatch(&self, name: &str, span: Span) -> Error {
        let takes = match self {
            Takes::Number(0) => format!("a whole number, as in `{name} = 2`"),
            Takes::Number(least) => format!("a whole number from {least} on, as in `{name} = 2`"),
            Takes::Seconds => format!("a number of seconds above 0, as in `{name} = 2.5`"),
            Takes::Word(words) => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("`{name} = {word:?}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Takes::Types => format!("types in parentheses, as in `{name}(Leader, Log)`"),
        };
        Error::new(span, format!("`{name}` takes {takes}"))
    }
}

fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// Checks a literal. Any other expression is left to the compiler, except a negation.
fn whole(expr: &Expr, least: u64) -> Option<TokenStream> {
    match (literal(expr), expr) {
        (Some(Lit::Int(number)), _) => number.base10_parse().ok().filter(|&n: &u64| n >= least).map(|_| quote!(#expr)),
        (Some(_), _) => None,
        (None, Expr::Unary(unary)) if matches!(unary.op, UnOp::Neg(_)) => None,
        (None, _) => Some(quote!(#expr)),
    }
}

fn seconds(expr: &Expr) -> Option<TokenStream> {
    let number: f64 = match literal(expr)? {
        Lit::Int(number) => number.base10_parse().ok()?,
        Lit::Float(number) => number.base10_parse().ok()?,
        _ => return None,
    };
    let span = expr.span();
    std::time::Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero())?;
    Some(quote_spanned!(span=> ::core::time::Duration::from_secs_f64(#number)))
}

fn word(expr: &Expr, words: &[(&str, &str)]) -> Option<TokenStream> {
    let Some(Lit::Str(given)) = literal(expr) else { return None };
    let (_, path) = words.iter().find(|(word, _)| *word == given.value())?;
    let path: syn::Path = syn::parse_str(path).expect("the table holds paths");
    Some(quote!(::manyworlds::#path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(options: &str) -> Result<Options> {
        syn::parse_str(options)
    }

    fn error(options: &str) -> String {
        parse(options).err().expect("the options are invalid").to_string()
    }

    #[test]
    fn every_option_is_parsed() {
        let options = "network = \"mbox\", threads = 2, executions = 2 * 12, max_executions = 1_000, max_depth = 9, max_steps = N,
                       timeout = 2.5, loss_budget = 0, deadlock = \"allow\", incomplete = \"forbid\", monitors(a::Leader, Log<u32>),";
        let options = parse(options).unwrap();
        let fields: Vec<String> = options.fields.iter().map(|field| field.to_string().replace(' ', "")).collect();
        assert_eq!(fields[0], "network:::core::option::Option::Some(::manyworlds::Network::Mbox)");
        assert_eq!(fields[2], "executions:::core::option::Option::Some(2*12)");
        assert_eq!(fields[6], "timeout:::core::option::Option::Some(::core::time::Duration::from_secs_f64(2.5f64))");
        assert_eq!((fields.len(), options.monitors.len()), (OPTIONS.len() - 1, 2));
        assert!(parse("").unwrap().fields.is_empty());
    }

    #[test]
    fn the_error_for_an_unknown_option_lists_the_known_ones() {
        let message = error("threads = 2, netwrok = \"mbox\"");
        assert!(message.starts_with("unknown option `netwrok`; there are `network`, `threads`"), "{message}");
        assert!(OPTIONS.iter().all(|(name, _)| message.contains(name)), "{message}");
        assert!(error("3").starts_with("expected an option: `network`"));
    }

    #[test]
    fn the_error_for_an_invalid_value_states_what_the_option_takes() {
        let one_of = "`network` takes one of `network = \"asyn\"`, `network = \"p2p\"`, `network = \"cd\"`, `network = \"mbox\"`";
        for wrong in ["network = \"tcp\"", "network = mbox", "network", "network(\"mbox\")", "network = "] {
            assert_eq!(error(wrong), one_of, "{wrong}");
        }
        for wrong in [
            "threads = 0",
            "threads = \"2\"",
            "threads = 1.5",
            "threads = -1",
            "threads",
            "threads = 99999999999999999999",
        ] {
            assert_eq!(error(wrong), "`threads` takes a whole number from 1 on, as in `threads = 2`", "{wrong}");
        }
        for wrong in ["timeout = 0", "timeout = -1", "timeout = \"1s\"", "timeout = 1e300", "timeout = SECONDS"] {
            assert_eq!(error(wrong), "`timeout` takes a number of seconds above 0, as in `timeout = 2.5`", "{wrong}");
        }
        assert_eq!(error("loss_budget = true"), "`loss_budget` takes a whole number, as in `loss_budget = 2`");
        assert_eq!(error("monitors = Leader"), "`monitors` takes types in parentheses, as in `monitors(Leader, Log)`");
        assert_eq!(error("threads = 2, threads = 2"), "`threads` is given twice");
        assert_eq!(error("threads = 2 executions = 3"), "expected `,`");
    }
}
