//! The attributes of Manyworlds. Use them through the facade: `#[manyworlds::test]`, `#[manyworlds::monitor(…)]`.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod monitor;
mod options;
mod test;

use proc_macro::TokenStream;

/// Makes a function a test that is run in every world it can reach.
///
/// ```ignore
/// #[manyworlds::test(network = "mbox", executions = 2)]
/// fn the_first_vote_wins() {
///     // spawn, send, recv, assert …
/// }
/// ```
///
/// | option | meaning | if not given |
/// |---|---|---|
/// | `network = "asyn"`, `"p2p"`, `"cd"`, `"mbox"` | the network of operations that name none | `"p2p"` |
/// | `threads = 2` | workers | 1 |
/// | `executions = 24` | how many complete executions there are; any other number fails | any number |
/// | `max_executions = 1000` | stop after so many executions | no bound |
/// | `max_depth = 500` | cut executions off after so many events | no bound |
/// | `max_steps = 500` | cut a process off after so many operations | the bound of `Checker` |
/// | `timeout = 2.5` | stop after so many seconds | no bound |
/// | `loss_budget = 1` | how many messages `send_lossy` may lose in an execution | 0 |
/// | `deadlock = "allow"`, `"forbid"` | whether processes may wait for ever | `"forbid"` |
/// | `incomplete = "allow"`, `"forbid"` | whether the test may pass although a bound was hit | `"forbid"` |
/// | `monitors(Leader, Log)` | monitors that watch, each starting from its `Default` | none |
///
/// Numbers may be constant expressions. Other attributes, such as `#[ignore]` and `#[should_panic]`, mean what they always mean.
#[proc_macro_attribute]
pub fn test(options: TokenStream, function: TokenStream) -> TokenStream {
    test::expand(options.into(), function.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a type a monitor of the messages of some types, with a method to call when the run is over.
///
/// ```ignore
/// #[manyworlds::monitor(Vote, Decision, at_end = everybody_decided)]
/// #[derive(Default)]
/// struct Agreement {
///     decisions: Vec<Decision>,
/// }
/// ```
///
/// Implement `manyworlds::Observe<T>` for each of the types. If the type is generic, the bounds that those implementations need belong on its declaration.
#[proc_macro_attribute]
pub fn monitor(types: TokenStream, item: TokenStream) -> TokenStream {
    monitor::expand(types.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
