//! `#[manyworlds::test]`: expands to a `#[test]` function that passes what the function returns, or its body as a program, to
//! `manyworlds::testing::run`.

use crate::options::TestOptions;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Result, ReturnType, Signature, Type};

/// Expands the attribute to the test function.
pub fn expand(options: TokenStream, function: TokenStream) -> Result<TokenStream> {
    let TestOptions { fields, case, program, needs_program, .. } = syn::parse2(options)?;
    let ItemFn { attrs, vis, modifiers, sig, block } = syn::parse2(function)?;
    modifiers.require_empty()?;
    check(&sig)?;
    if let Some(duplicate) = attrs.iter().find(|attr| attr.path().is_ident("test")) {
        return Err(Error::new(
            duplicate.span(),
            "`#[manyworlds::test]` already makes this function a test: remove `#[test]`",
        ));
    }
    let make = match (returned(&sig), needs_program) {
        (Some(_), Some(option)) => {
            let problem =
                format!("`{option}` is for tests whose body is a program: this function returns what is tested");
            return Err(Error::new(option.span(), problem));
        }
        (Some(subject), None) => quote_spanned!(subject.span()=> || -> #subject #block),
        (None, _) => quote!(|| ::manyworlds::Program::new(|| #block) #(#program)*),
    };
    let name = &sig.ident;
    let title = name.unraw().to_string();
    // The call gets the span of the test name, so that a violation is reported there.
    let run = quote_spanned! {name.span()=>
        ::manyworlds::testing::run(
            ::manyworlds::testing::TestCase {
                options: ::manyworlds::Options { #(#fields,)* ..::core::default::Default::default() },
                #(#case,)*
                ..::manyworlds::testing::TestCase::new(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_MANIFEST_DIR"),
                    ::core::module_path!(),
                    #title,
                )
            },
            #make,
        )
    };
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis fn #name() {
            #run
        }
    })
}

/// The type that the function returns, unless that is nothing.
fn returned(sig: &Signature) -> Option<&Type> {
    match &sig.output {
        ReturnType::Type(_, result) if !matches!(&**result, Type::Tuple(tuple) if tuple.elems.is_empty()) => {
            Some(result)
        }
        _ => None,
    }
}

/// Checks that the function takes no arguments.
fn check(sig: &Signature) -> Result<()> {
    if let Some(asyncness) = &sig.asyncness {
        return Err(Error::new(asyncness.span(), "processes are blocking code: a test cannot be `async`"));
    }
    if !sig.inputs.is_empty() {
        return Err(Error::new(sig.inputs.span(), "a test takes no arguments; use `choose` to try several values"));
    }
    match sig.generics.params.is_empty() {
        true => Ok(()),
        false => Err(Error::new(sig.generics.span(), "a test cannot be generic")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(function: TokenStream) -> String {
        expand(TokenStream::new(), function).expect_err("the test is invalid").to_string()
    }

    #[test]
    fn functions_that_cannot_be_tests_are_rejected() {
        assert!(
            error(quote!(
                async fn f() {}
            ))
            .contains("`async`")
        );
        assert!(
            error(quote!(
                fn f(n: u32) {}
            ))
            .contains("no arguments")
        );
        assert!(
            error(quote!(
                fn f<T>() {}
            ))
            .contains("generic")
        );
        assert!(
            error(quote!(
                #[test]
                fn f() {}
            ))
            .contains("remove `#[test]`")
        );
        assert!(
            error(quote!(
                struct S;
            ))
            .contains("expected")
        );
    }

    #[test]
    fn attributes_and_the_function_name_are_preserved() {
        let test = expand(
            TokenStream::new(),
            quote!(
                #[ignore]
                fn r#try() -> () {
                    assume(true);
                }
            ),
        )
        .unwrap()
        .to_string();
        assert!(test.contains("# [ignore] fn r#try ()") && test.contains("\"try\""), "{test}");
    }

    #[test]
    fn what_is_returned_is_the_subject() {
        let function = quote!(
            fn f() -> System {
                system()
            }
        );
        let test = expand(TokenStream::new(), function.clone()).unwrap().to_string();
        assert!(test.contains("fn f () {") && test.contains("|| -> System { system () }"), "{test}");
        assert!(!test.contains("Program"), "{test}");
        let refused = expand(quote!(monitors(Leader)), function).expect_err("a system has no monitors of programs");
        assert!(refused.to_string().starts_with("`monitors` is for tests whose body is a program"), "{refused}");
    }
}
