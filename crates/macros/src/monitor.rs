//! `#[manyworlds::monitor(TypeA, TypeB, at_end = method)]`: implements `Monitor` for a type that observes messages of the given types.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Ident, Item, Result, Token, Type};

/// The arguments of the attribute: the observed types, and the method to call at the end.
struct Arguments {
    types: Vec<Type>,
    at_end: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Arguments> {
        let mut arguments = Arguments { types: Vec::new(), at_end: None };
        while !input.is_empty() {
            match input.peek(Ident) && input.peek2(Token![=]) {
                true => arguments.option(input)?,
                false => arguments.types.push(input.parse()?),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if arguments.types.is_empty() {
            let message = "a monitor observes some type of message, as in `#[manyworlds::monitor(Vote)]`";
            return Err(Error::new(Span::call_site(), message));
        }
        Ok(arguments)
    }
}

impl Arguments {
    fn option(&mut self, input: ParseStream<'_>) -> Result<()> {
        let name: Ident = input.parse()?;
        if name != "at_end" {
            return Err(Error::new(name.span(), format!("unknown option `{name}`; expected `at_end = method`")));
        }
        if self.at_end.is_some() {
            return Err(Error::new(name.span(), "`at_end` is given twice"));
        }
        input.parse::<Token![=]>()?;
        let method = input
            .parse()
            .map_err(|e| Error::new(e.span(), "`at_end` takes the name of a method, as in `at_end = check`"))?;
        self.at_end = Some(method);
        Ok(())
    }
}

/// Expands to the item and its `Monitor` implementation.
pub fn expand(types: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let Arguments { types, at_end } = syn::parse2(types)?;
    let item: Item = syn::parse2(item)?;
    let (name, generics) = match &item {
        Item::Struct(item) => (&item.ident, &item.generics),
        Item::Enum(item) => (&item.ident, &item.generics),
        other => return Err(Error::new(other.span(), "only a struct or an enum can be a monitor")),
    };
    let (params, type_arguments, bounds) = generics.split_for_impl();
    let subscriptions =
        types.iter().map(|ty| quote_spanned!(ty.span()=> ::manyworlds::monitor::Subscription::to::<#ty>()));
    let at_end = at_end.map(|method| {
        let call = quote_spanned!(method.span()=> self.#method());
        quote!(fn at_end(&mut self) { #call; })
    });
    Ok(quote! {
        #item

        impl #params ::manyworlds::Monitor for #name #type_arguments #bounds {
            fn subscriptions() -> ::std::vec::Vec<::manyworlds::monitor::Subscription<Self>> {
                ::std::vec![#(#subscriptions),*]
            }
            #at_end
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(types: TokenStream, item: TokenStream) -> String {
        expand(types, item).expect_err("the monitor is invalid").to_string()
    }

    #[test]
    fn errors_are_reported() {
        let item = quote!(
            struct Watch;
        );
        assert!(error(quote!(), item.clone()).starts_with("a monitor observes some type"));
        assert!(error(quote!(at_end = check), item.clone()).contains("observes some type"));
        assert_eq!(
            error(quote!(Vote, at_start = check), item.clone()),
            "unknown option `at_start`; expected `at_end = method`"
        );
        assert_eq!(error(quote!(Vote, at_end = a, at_end = b), item.clone()), "`at_end` is given twice");
        assert_eq!(
            error(quote!(Vote, at_end = 3), item),
            "`at_end` takes the name of a method, as in `at_end = check`"
        );
        assert_eq!(
            error(
                quote!(Vote),
                quote!(
                    fn f() {}
                )
            ),
            "only a struct or an enum can be a monitor"
        );
    }

    #[test]
    fn generics_are_preserved() {
        let item = quote!(
            struct Watch<T: Clone, const N: usize>
            where
                T: Eq,
            {
                seen: [T; N],
            }
        );
        let text = expand(quote!(Vote<T>, at_end = check), item).unwrap().to_string();
        let head = "impl < T : Clone , const N : usize > :: manyworlds :: Monitor for Watch < T , N > where T : Eq";
        assert!(text.contains(head) && text.contains("self . check ()"), "{text}");
    }
}
