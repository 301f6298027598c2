//! `#[manyworlds::test]`: expands to a `#[test]` function that passes its body to `manyworlds::testing::run`.

use crate::options::Options;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Result, ReturnType, Signature, Type};

/// Expands the attribute to the test function.
pub fn expand(options: TokenStream, function: TokenStream) -> Result<TokenStream> {
    let Options { fields, monitors, .. } = syn::parse2(options)?;
    let ItemFn { attrs, vis, modifiers, sig, block } = syn::parse2(function)?;
    modifiers.require_empty()?;
    check(&sig)?;
    if let Some(duplicate) = attrs.iter().find(|attr| attr.path().is_ident("test")) {
        return Err(Error::new(
            duplicate.span(),
            "`#[manyworlds::test]` already makes this function a test: remove `#[test]`",
        ));
    }
    let name = &sig.ident;
    let title = name.unraw().to_string();
    let register = monitors.iter().map(register);
    // The call gets the span of the test name, so that a violation is reported there.
    let run = quote_spanned! {name.span()=>
        ::manyworlds::testing::run(
            ::manyworlds::testing::TestCase {
                package: ::core::env!("CARGO_PKG_NAME"),
                directory: ::core::env!("CARGO_MANIFEST_DIR"),
                module: ::core::module_path!(),
                name: #title,
                options: ::manyworlds::testing::Options { #(#fields,)* ..::core::default::Default::default() },
                monitors: |checker| checker #(#register)*,
            },
            || #block,
        )
    };
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis #sig {
            #run
        }
    })
}

fn register(monitor: &Type) -> TokenStream {
    quote_spanned!(monitor.span()=> .monitor(<#monitor as ::core::default::Default>::default))
}

/// Checks that the function takes no arguments and returns nothing.
fn check(sig: &Signature) -> Result<()> {
    if let Some(asyncness) = &sig.asyncness {
        return Err(Error::new(asyncness.span(), "processes are blocking code: a test cannot be `async`"));
    }
    if !sig.inputs.is_empty() {
        return Err(Error::new(sig.inputs.span(), "a test takes no arguments; use `choose` to try several values"));
    }
    if !sig.generics.params.is_empty() {
        return Err(Error::new(sig.generics.span(), "a test cannot be generic"));
    }
    match &sig.output {
        ReturnType::Type(_, result) if !matches!(&**result, Type::Tuple(tuple) if tuple.elems.is_empty()) => {
            Err(Error::new(result.span(), "a test returns nothing: it fails by a panic"))
        }
        _ => Ok(()),
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
                fn f() -> u32 {
                    1
                }
            ))
            .contains("returns nothing")
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
        assert!(test.contains("# [ignore] fn r#try () -> ()") && test.contains("name : \"try\""), "{test}");
    }
}
