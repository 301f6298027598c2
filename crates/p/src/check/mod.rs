//! The checker: from syntax trees to a [`Program`], with every error and warning that it finds.
//!
//! The order of the passes is that of the dependencies: names (`names`), types and payloads (`declare`), machines with their fields, states and the
//! signatures of functions (`machine`), bodies (`stmt`, `expr`), what functions do through those that they call (`effects`), modules and tests
//! (`module`, `test`), and at last warnings (`warn`). A pass reports an error once; what depends on it has the type [`Ty::Error`], which fits
//! everywhere.

mod combine;
mod declare;
mod effects;
mod expr;
mod fit;
mod handlers;
mod machine;
mod module;
mod names;
mod paths;
mod stmt;
mod strings;
mod test;
mod warn;

use crate::ast::{self, Body, EventName, EventRef, File, Ident};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{self, HALT, NULL, Program};
use crate::source::Span;
use crate::types::Ty;
use names::{Names, TypeName, ValueName};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// After this number of errors no names are suggested.
const MAX_SUGGESTIONS: usize = 200;

/// How a whole program is checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The files whose tests are left out: those of included projects.
    pub without_tests: Vec<u32>,
}

/// Checks all files of a program together.
pub fn check(files: &[File], options: &Options, diagnostics: &mut Diagnostics) -> Program {
    let mut checker = Checker {
        p: Program::default(),
        names: Names::default(),
        aliases: Vec::new(),
        machine_defs: Vec::new(),
        functions: Vec::new(),
        tables: Vec::new(),
        modules: Vec::new(),
        depth: 0,
        instances: 0,
        cx: stmt::Context::default(),
        test_constants: false,
        d: diagnostics,
    };
    checker.declare_names(files);
    checker.declare_types(files);
    for item in files.iter().flat_map(|file| &file.items) {
        if let ast::Item::Fun(def) = item {
            checker.declare_function(def, None);
        }
    }
    checker.declare_machines();
    checker.check_bodies();
    checker.check_effects();
    checker.check_handlers();
    let tests = checker.check_tests(files, options);
    checker.p.tests = tests;
    checker.warn(files);
    checker.p
}

/// The source of a function.
#[derive(Clone, Copy)]
struct FunctionSource<'a> {
    params: &'a [ast::ParamDef],
    result: Option<&'a ast::TypeExpr>,
    body: Option<&'a Body>,
}

/// The names that a machine declares.
#[derive(Default)]
struct MachineNames {
    fields: FxHashMap<Arc<str>, usize>,
    functions: FxHashMap<Arc<str>, usize>,
    states: FxHashMap<Arc<str>, usize>,
}

/// An alias while aliases are being unfolded.
enum Alias<'a> {
    Unknown(&'a ast::TypeDef),
    Busy,
    Known(Ty, usize),
}

struct Checker<'a> {
    p: Program,
    names: Names,
    aliases: Vec<Alias<'a>>,
    machine_defs: Vec<&'a ast::MachineDef>,
    functions: Vec<FunctionSource<'a>>,
    tables: Vec<MachineNames>,
    modules: Vec<module::Named<'a>>,
    depth: u32,
    /// How many interfaces were hidden.
    instances: u32,
    cx: stmt::Context,
    /// Names are those of the parameters of a test.
    test_constants: bool,
    d: &'a mut Diagnostics,
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.d.push(Diagnostic::error(span, message));
    }

    fn error_with(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.d.push(Diagnostic::error(span, message).help(help));
    }

    fn refer(&mut self, at: Span, declared: Span) {
        self.p.references.push((at, declared));
    }

    /// A name that is not declared.
    fn unknown<'n>(&mut self, what: &str, name: &str, span: Span, known: impl Iterator<Item = &'n str>) {
        // A suggestion takes time in the number of names; nobody reads hundreds of them.
        let few = self.d.errors() < MAX_SUGGESTIONS;
        let help = if few { crate::suggest::did_you_mean(name, known) } else { String::new() };
        self.error_with(span, format!("there is no {what} named `{name}`"), help);
    }

    /// The number of an event.
    fn event(&mut self, event: &EventRef) -> Option<usize> {
        match &event.event {
            EventName::Null => Some(NULL),
            EventName::Halt => Some(HALT),
            EventName::Named(name) => match self.names.values.get(name) {
                Some(&(ValueName::Event(index), declared)) => {
                    self.refer(event.span, declared);
                    Some(index)
                }
                other => {
                    let element = other.is_some();
                    let names: Vec<Arc<str>> = self.p.events.iter().map(|event| event.name.name.clone()).collect();
                    if element {
                        self.error(event.span, format!("`{name}` is an element of an enum, not an event"));
                    } else {
                        self.unknown("event", name, event.span, names.iter().map(|name| &**name));
                    }
                    None
                }
            },
        }
    }

    /// The number of an interface, by its own name or by that of its machine.
    fn interface(&mut self, name: &Ident) -> Option<usize> {
        let found = self.names.types.get(&name.name).copied();
        match found {
            Some((TypeName::Interface(index), declared)) => {
                self.refer(name.span, declared);
                return Some(index);
            }
            Some((TypeName::Machine(machine), declared)) => {
                self.refer(name.span, declared);
                if let Some(interface) = self.p.machines[machine].interface {
                    return Some(interface);
                }
                let message = format!("`{}` is a specification, and specifications cannot be created", name.name);
                self.error_with(name.span, message, "attach it to a test: `test tc [main = M]: assert S in { … };`");
            }
            _ => {
                let names: Vec<Arc<str>> = self.p.interfaces.iter().map(|of| of.name.name.clone()).collect();
                let names = names.iter().map(|name| &**name);
                self.unknown("machine or interface", &name.name, name.span, names);
            }
        }
        None
    }

    /// Reports names that are declared twice in one scope; returns whether the name is new.
    fn twice(&mut self, what: &str, name: &Ident, before: Option<Span>) -> bool {
        let Some(before) = before else { return true };
        let message = format!("{what} `{}` is declared twice", name.name);
        self.d.push(Diagnostic::error(name.span, message).related(before, "first declared here"));
        false
    }

    /// Test parameters are visible everywhere and cannot be hidden.
    fn not_a_param(&mut self, name: &Ident) {
        if let Some(&(_, declared)) = self.names.params.get(&name.name) {
            let message = format!("`{}` is a test parameter; its name cannot be used for something else", name.name);
            self.d.push(Diagnostic::error(name.span, message).related(declared, "the parameter is declared here"));
        }
    }

    fn function(&self, index: usize) -> &hir::Function {
        &self.p.functions[index]
    }

    /// A type as it is shown in messages.
    fn show(&self, ty: &Ty) -> String {
        format!("`{}`", self.p.show(ty))
    }
}
