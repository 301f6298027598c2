//! `#[manyworlds::test]`: a `#[test]` that hands its body to `manyworlds::testing::run`.

use crate::options::Options;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Result, ReturnType, Signature, Type};

/// The test that the attribute stands for.
pub fn expand(options: TokenStream, function: TokenStream) -> Result<TokenStream> {
    let Options { fields, monitors, .. } = syn::parse2(options)?;
    let ItemFn { attrs, vis, modifiers, sig, block } = syn::parse2(function)?;
    modifiers.require_empty()?;
    check(&sig)?;
    if let Some(twice) = attrs.iter().find(|attr| attr.path().is_ident("test")) {
        return Err(Error::new(
            twice.span(),
            "`#[manyworlds::test]` makes this function a test already: remove `#[test]`",
        ));
    }
    let name = &sig.ident;
    let title = name.unraw().to_string();
    let watch = monitors.iter().map(watch);
    // The call is blamed on the name of the test: a violation is reported there.
    let run = quote_spanned! {name.span()=>
        ::manyworlds::testing::run(
            ::manyworlds::testing::TestCase {
                package: ::core::env!("CARGO_PKG_NAME"),
                directory: ::core::env!("CARGO_MANIFEST_DIR"),
                module: ::core::module_path!(),
                name: #title,
                options: ::manyworlds::testing::Options { #(#fields,)* ..::core::default::Default::default() },
                monitors: |checker| checker #(#watch)*,
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

fn watch(monitor: &Type) -> TokenStream {
    quote_spanned!(monitor.span()=> .monitor(<#monitor as ::core::default::Default>::default))
}

/// A test is a function without arguments and without a result.
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
        expand(TokenStream::new(), function).expect_err("this is no test").to_string()
    }

    #[test]
    fn functions_that_cannot_be_tests_are_refused() {
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
    fn attributes_stay_and_the_name_is_the_users() {
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
