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
    /// `true` or `false`.
    Flag,
    /// A list of types.
    Types,
}

/// What an option configures.
#[derive(Clone, Copy, PartialEq)]
enum Sets {
    /// A field of `manyworlds::Options` that is an `Option`.
    Option,
    /// A field of `manyworlds::Options` with a default.
    Plain,
    /// A field of `TestCase`.
    Case,
    /// A method of `manyworlds::Program`.
    Program,
}

const OPTIONS: &[(&str, Takes, Sets)] = &[
    (
        "network",
        Takes::Word(&[
            ("asyn", "Network::Asyn"),
            ("p2p", "Network::P2p"),
            ("cd", "Network::Cd"),
            ("mbox", "Network::Mbox"),
        ]),
        Sets::Option,
    ),
    (
        "engine",
        Takes::Word(&[
            ("must", "Engine::Must"),
            ("bfs", "Engine::Bfs"),
            ("dfs", "Engine::Dfs"),
            ("random", "Engine::Random"),
            ("exhaustive", "Engine::Exhaustive"),
            ("dpor", "Engine::Dpor"),
        ]),
        Sets::Plain,
    ),
    ("threads", Takes::Number(1), Sets::Plain),
    ("seed", Takes::Number(0), Sets::Plain),
    ("executions", Takes::Number(0), Sets::Case),
    ("states", Takes::Number(0), Sets::Case),
    ("max_executions", Takes::Number(1), Sets::Option),
    ("max_states", Takes::Number(1), Sets::Option),
    ("max_depth", Takes::Number(1), Sets::Option),
    ("max_steps", Takes::Number(1), Sets::Option),
    ("timeout", Takes::Seconds, Sets::Option),
    ("losses", Takes::Number(0), Sets::Option),
    ("reduce", Takes::Flag, Sets::Plain),
    ("symmetry", Takes::Flag, Sets::Plain),
    ("deadlock", Takes::Word(&[("allow", "Deadlock::Allow"), ("forbid", "Deadlock::Forbid")]), Sets::Program),
    (
        "incomplete",
        Takes::Word(&[("allow", "testing::Incomplete::Allow"), ("forbid", "testing::Incomplete::Forbid")]),
        Sets::Case,
    ),
    ("monitors", Takes::Types, Sets::Program),
];

/// The options of one test.
#[derive(Default)]
pub struct TestOptions {
    /// The fields of `manyworlds::Options` that were given.
    pub fields: Vec<TokenStream>,
    /// The fields of `manyworlds::testing::TestCase` that were given.
    pub case: Vec<TokenStream>,
    /// Calls of methods of `manyworlds::Program`.
    pub program: Vec<TokenStream>,
    /// The option that needs a program, if one was given.
    pub needs_program: Option<Ident>,
    names: Vec<String>,
}

impl Parse for TestOptions {
    fn parse(input: ParseStream<'_>) -> Result<TestOptions> {
        let mut options = TestOptions::default();
        while !input.is_empty() {
            options.option(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl TestOptions {
    fn option(&mut self, input: ParseStream<'_>) -> Result<()> {
        let name: Ident =
            input.parse().map_err(|e| Error::new(e.span(), format!("expected an option: {}", known())))?;
        let text = name.to_string();
        let Some((_, takes, sets)) = OPTIONS.iter().find(|(known, ..)| *known == text) else {
            return Err(Error::new(name.span(), format!("unknown option `{text}`; there are {}", known())));
        };
        if self.names.contains(&text) {
            return Err(Error::new(name.span(), format!("`{text}` is given twice")));
        }
        if *sets == Sets::Program {
            self.needs_program.get_or_insert_with(|| name.clone());
        }
        if let Takes::Types = takes {
            self.program.extend(types(&name, input)?.iter().map(monitor));
        } else {
            let expr = value(&name, takes, input)?;
            let value = takes.check(&text, &expr)?;
            match sets {
                Sets::Option => self.fields.push(quote!(#name: ::core::option::Option::Some(#value))),
                Sets::Plain => self.fields.push(quote!(#name: #value)),
                Sets::Case => self.case.push(quote!(#name: ::core::option::Option::Some(#value))),
                Sets::Program => self.program.push(quote!(.#name(#value))),
            }
        }
        self.names.push(text);
        Ok(())
    }
}

fn monitor(monitor: &Type) -> TokenStream {
    quote_spanned!(monitor.span()=> .monitor(<#monitor as ::core::default::Default>::default))
}

fn known() -> String {
    let names: Vec<String> = OPTIONS.iter().map(|(name, ..)| format!("`{name}`")).collect();
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
            Takes::Flag => flag(expr),
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
            Takes::Flag => format!("`true` or `false`, as in `{name} = true`"),
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

fn flag(expr: &Expr) -> Option<TokenStream> {
    let Some(Lit::Bool(flag)) = literal(expr) else { return None };
    Some(quote!(#flag))
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

    fn parse(options: &str) -> Result<TestOptions> {
        syn::parse_str(options)
    }

    fn error(options: &str) -> String {
        parse(options).err().expect("the options are invalid").to_string()
    }

    #[test]
    fn every_option_is_parsed() {
        let options = "network = \"mbox\", threads = 2, executions = 2 * 12, max_executions = 1_000, max_depth = 9, max_steps = N,
                       timeout = 2.5, losses = 0, deadlock = \"allow\", incomplete = \"forbid\", monitors(a::Leader, Log<u32>),
                       engine = \"must\", seed = 7, states = 3, max_states = 4, reduce = false, symmetry = true,";
        let options = parse(options).unwrap();
        let texts =
            |list: &[TokenStream]| list.iter().map(|item| item.to_string().replace(' ', "")).collect::<Vec<String>>();
        let (fields, case, program) = (texts(&options.fields), texts(&options.case), texts(&options.program));
        assert_eq!(fields[..2], ["network:::core::option::Option::Some(::manyworlds::Network::Mbox)", "threads:2"]);
        assert!(fields.contains(
            &"timeout:::core::option::Option::Some(::core::time::Duration::from_secs_f64(2.5f64))".to_string()
        ));
        assert!(fields.contains(&"symmetry:true".to_string()));
        assert_eq!(case[0], "executions:::core::option::Option::Some(2*12)");
        assert_eq!(program[0], ".deadlock(::manyworlds::Deadlock::Allow)");
        assert_eq!(program[1], ".monitor(<a::Leaderas::core::default::Default>::default)");
        // Two monitors are one option.
        assert_eq!(fields.len() + case.len() + program.len(), OPTIONS.len() + 1);
        assert!(parse("").unwrap().fields.is_empty());
    }

    #[test]
    fn the_error_for_an_unknown_option_lists_the_known_ones() {
        let message = error("threads = 2, netwrok = \"mbox\"");
        assert!(message.starts_with("unknown option `netwrok`; there are `network`, `engine`"), "{message}");
        assert!(OPTIONS.iter().all(|(name, ..)| message.contains(name)), "{message}");
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
        assert_eq!(error("losses = true"), "`losses` takes a whole number, as in `losses = 2`");
        assert_eq!(error("reduce = 1"), "`reduce` takes `true` or `false`, as in `reduce = true`");
        assert_eq!(error("monitors = Leader"), "`monitors` takes types in parentheses, as in `monitors(Leader, Log)`");
        assert_eq!(error("threads = 2, threads = 2"), "`threads` is given twice");
        assert_eq!(error("threads = 2 executions = 3"), "expected `,`");
    }
}
