//! Tests: the module that is run, its main machine, and the values of test parameters.

use super::combine::{MAX_COMBINATIONS, all, covering, is_too_much};
use super::module::Module;
use super::{Checker, Options};
use crate::ast::{BinaryOp, File, Ident, Item, MachineKind, ParamValue, TestDef, UnaryOp};
use crate::hir::{Bound, Expr, ExprKind, Test};
use crate::source::Span;
use crate::types::Ty;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Checker<'_> {
    /// All tests and implementations, or the machine `Main` if there are none.
    pub(super) fn check_tests(&mut self, files: &[File], options: &Options) -> Vec<Test> {
        self.check_modules();
        let mut tests = Vec::new();
        let mut written = false;
        for item in files.iter().flat_map(|file| &file.items) {
            let (Item::Test(def) | Item::Implementation(def)) = item else { continue };
            let included = options.without_tests.contains(&def.name.span.file);
            if self.twice("the test", &def.name, self.names.tests.get(&def.name.name).map(|known| known.1)) {
                self.names.tests.insert(def.name.name.clone(), ((), def.name.span));
            }
            let found = self.test(def);
            if !included {
                written = true;
                tests.extend(found);
            }
        }
        if !written {
            tests.extend(self.default_test());
        }
        let scenarios: Vec<usize> = self.all_specs(|kind| kind == MachineKind::Scenario);
        for test in &mut tests {
            let missing = |scenario: &usize| !test.specs.iter().any(|(spec, _)| spec == scenario);
            let missing: Vec<usize> = scenarios.iter().copied().filter(missing).collect();
            test.specs.extend(missing.into_iter().map(|scenario| (scenario, None)));
        }
        tests
    }

    fn all_specs(&self, which: impl Fn(MachineKind) -> bool) -> Vec<usize> {
        let machines = self.p.machines.iter().enumerate();
        machines.filter(|(_, machine)| which(machine.kind)).map(|(index, _)| index).collect()
    }

    /// The machine `Main` with all machines and all specifications.
    fn default_test(&mut self) -> Option<Test> {
        let main = self.p.machines.iter().position(|machine| &*machine.name.name == "Main")?;
        let interface = self.p.machines[main].interface?;
        let span = self.p.machines[main].name.span;
        if self.p.interfaces[interface].payload != Ty::Null {
            let help = "a test with another main machine can create it with an argument";
            self.error_with(span, "the start state of `Main` needs a payload, so it cannot be run", help);
            return None;
        }
        let machines = self.p.machines.iter().enumerate();
        let bindings = machines.filter_map(|(index, machine)| Some(((machine.interface?, 0), index))).collect();
        let specs = self.all_specs(|kind| kind == MachineKind::Spec);
        Some(Test {
            name: "DefaultImpl".into(),
            instance: "DefaultImpl".to_string(),
            span,
            main: (interface, 0),
            bindings,
            links: BTreeMap::new(),
            specs: specs.into_iter().map(|spec| (spec, None)).collect(),
            params: Vec::new(),
        })
    }

    fn test(&mut self, def: &TestDef) -> Vec<Test> {
        let module = self.module(&def.module);
        let main = self.main(def, module.as_ref());
        let combinations = self.combinations(def);
        let (Some(module), Some(main), Some(combinations)) = (module, main, combinations) else { return Vec::new() };
        if !self.closed(def, &module) {
            return Vec::new();
        }
        let links: BTreeMap<(Bound, usize), Bound> = module
            .links
            .iter()
            .map(|(&key, &made)| (key, made))
            .filter(|&((_, wanted), made)| made != (wanted, 0))
            .collect();
        let specs: Vec<(usize, Option<BTreeSet<Bound>>)> =
            module.specs.iter().map(|(spec, scope)| (*spec, Some(scope.clone()))).collect();
        let one = |params: Vec<(usize, ParamValue)>| Test {
            name: def.name.name.clone(),
            instance: self.instance(&def.name.name, &params),
            span: def.name.span,
            main,
            bindings: module.bindings.clone(),
            links: links.clone(),
            specs: specs.clone(),
            params,
        };
        combinations.into_iter().map(one).collect()
    }

    /// `Name___p_1__q_neg2__b_true`
    fn instance(&self, name: &str, params: &[(usize, ParamValue)]) -> String {
        let parts: Vec<String> = params
            .iter()
            .map(|(param, value)| {
                let value = match value {
                    ParamValue::Bool(value) => value.to_string(),
                    ParamValue::Int(value) if *value < 0 => format!("neg{}", value.unsigned_abs()),
                    ParamValue::Int(value) => value.to_string(),
                };
                format!("{}_{value}", self.p.params[*param].name.name)
            })
            .collect();
        if parts.is_empty() { name.to_string() } else { format!("{name}___{}", parts.join("__")) }
    }

    fn main(&mut self, def: &TestDef, module: Option<&Module>) -> Option<Bound> {
        let Some(main) = &def.main else {
            let message = format!("the test `{}` does not say which machine is created first", def.name.name);
            self.error_with(def.name.span, message, format!("write `{} [main = M]: …`", def.name.name));
            return None;
        };
        let interface = self.interface(main)?;
        let machine = module?.bindings.get(&(interface, 0)).copied();
        let Some(machine) = machine else {
            let message = format!("the module of the test does not bind the main machine `{}`", main.name);
            self.error_with(main.span, message, format!("add it: `union …, {{ {} }}`", main.name));
            return None;
        };
        let own = self.p.machines[machine].interface.unwrap_or(interface);
        if [own, interface].iter().any(|&of| self.p.interfaces[of].payload != Ty::Null) {
            let message = format!("the start state of the main machine `{}` needs a payload", main.name);
            self.error_with(main.span, message, "write a machine that creates it with an argument");
            return None;
        }
        Some((interface, 0))
    }

    /// Whether everything that is created is bound.
    fn closed(&mut self, def: &TestDef, module: &Module) -> bool {
        let open = module.links.iter().find(|(_, made)| !module.bindings.contains_key(made));
        let Some((&(creator, _), &made)) = open else { return true };
        let machine = module.bindings[&creator];
        let (machine, interface) = (&self.p.machines[machine].name.name, &self.p.interfaces[made.0].name.name);
        let message = format!("`{machine}` creates `{interface}`, which the module of the test does not bind");
        let help = format!("add a machine: `union …, {{ {interface} }}`");
        self.error_with(def.module.span, message, help);
        false
    }

    /// The values of the parameters of the instances of a test; one instance without any, if the test has no parameters.
    fn combinations(&mut self, def: &TestDef) -> Option<Vec<Vec<(usize, ParamValue)>>> {
        let before = self.d.errors();
        let mut params: Vec<usize> = Vec::new();
        let mut lists: Vec<Vec<ParamValue>> = Vec::new();
        let mut seen = BTreeMap::new();
        for param in &def.params {
            self.twice("the parameter of the test", &param.name, seen.insert(param.name.name.clone(), param.name.span));
            if let Some(index) = self.param(&param.name) {
                lists.push(self.values(index, &param.values));
                params.push(index);
            }
        }
        let assume = def.assume.as_ref().map(|assume| {
            self.test_constants = true;
            let checked = self.expr(assume);
            self.fits(&Ty::Bool, &checked, "what is assumed");
            self.test_constants = false;
            checked
        });
        if let Some((k, span)) = def.wise
            && !(1..=params.len() as i64).contains(&k)
        {
            let message = format!("the number before `wise` must be from 1 to {}, not {k}", params.len());
            self.error_with(span, message, "it is the number of parameters of which all combined values are tested");
        }
        if self.d.errors() > before {
            return None;
        }
        let Some(mut combinations) = all(&lists) else {
            let message = format!("the test has more than {MAX_COMBINATIONS} combinations of parameters");
            self.error(def.name.span, message);
            return None;
        };
        if let Some(assume) = &assume {
            let mut kept = Vec::new();
            for values in combinations {
                let value = |param: usize| params.iter().position(|&of| of == param).map(|at| values[at]);
                match self.evaluate(assume, &value) {
                    Ok(ParamValue::Bool(true)) => kept.push(values),
                    Ok(_) => {}
                    Err((span, why)) => {
                        self.error(span, why);
                        return None;
                    }
                }
            }
            combinations = kept;
        }
        if let Some((k, span)) = def.wise {
            if is_too_much(combinations.len(), params.len(), k as usize) {
                self.error(span, "there are too many combinations to choose from");
                return None;
            }
            combinations = covering(&combinations, k as usize);
        }
        let named = |values: Vec<ParamValue>| params.iter().copied().zip(values).collect();
        Some(combinations.into_iter().map(named).collect())
    }

    fn param(&mut self, name: &Ident) -> Option<usize> {
        if let Some(&(index, declared)) = self.names.params.get(&name.name) {
            self.refer(name.span, declared);
            return Some(index);
        }
        let known: Vec<Arc<str>> = self.names.params.keys().cloned().collect();
        self.unknown("test parameter", &name.name, name.span, known.iter().map(|name| &**name));
        None
    }

    /// The values of a parameter. A boolean may be repeated, which means nothing.
    fn values(&mut self, param: usize, values: &[(ParamValue, Span)]) -> Vec<ParamValue> {
        let ty = self.p.params[param].ty.clone();
        let mut list = Vec::new();
        for &(value, span) in values {
            let fits = match value {
                ParamValue::Int(_) => Ty::Int,
                ParamValue::Bool(_) => Ty::Bool,
            };
            if !self.p.assignable(&ty, &fits) {
                let message = format!("the parameter has the type {}, not {}", self.show(&ty), self.show(&fits));
                self.error(span, message);
            } else if !list.contains(&value) {
                list.push(value);
            } else if fits == Ty::Int {
                self.error(span, "this value is in the list twice");
            }
        }
        list
    }

    /// The value of what is assumed, without short circuits.
    fn evaluate(
        &self,
        expr: &Expr,
        value: &impl Fn(usize) -> Option<ParamValue>,
    ) -> Result<ParamValue, (Span, String)> {
        use ParamValue::{Bool, Int};
        let wrong = |why: &str| (expr.span, why.to_string());
        match &expr.kind {
            ExprKind::Int(n) => Ok(Int(*n)),
            ExprKind::Bool(b) => Ok(Bool(*b)),
            ExprKind::Param(param) => match (value(*param), &self.p.params[*param].ty) {
                (Some(value), _) => Ok(value),
                (None, Ty::Int) => Ok(Int(0)),
                (None, Ty::Bool) => Ok(Bool(false)),
                _ => Err(wrong("only parameters of type `int` and `bool` can be used here")),
            },
            ExprKind::Unary(op, operand) => match (op, self.evaluate(operand, value)?) {
                (UnaryOp::Neg, Int(n)) => Ok(Int(n.wrapping_neg())),
                (UnaryOp::Not, Bool(b)) => Ok(Bool(!b)),
                _ => Err(wrong("expected a number or a boolean")),
            },
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.evaluate(left, value)?, self.evaluate(right, value)?);
                Ok(match (op, left, right) {
                    (BinaryOp::Eq, a, b) => Bool(a == b),
                    (BinaryOp::Ne, a, b) => Bool(a != b),
                    (BinaryOp::And, Bool(a), Bool(b)) => Bool(a && b),
                    (BinaryOp::Or, Bool(a), Bool(b)) => Bool(a || b),
                    (BinaryOp::Add, Int(a), Int(b)) => Int(a.wrapping_add(b)),
                    (BinaryOp::Sub, Int(a), Int(b)) => Int(a.wrapping_sub(b)),
                    (BinaryOp::Mul, Int(a), Int(b)) => Int(a.wrapping_mul(b)),
                    (BinaryOp::Div | BinaryOp::Mod, Int(_), Int(0)) => return Err(wrong("this divides by zero")),
                    (BinaryOp::Div, Int(a), Int(b)) => Int(a.wrapping_div(b)),
                    (BinaryOp::Mod, Int(a), Int(b)) => Int(a.wrapping_rem(b)),
                    (BinaryOp::Lt, Int(a), Int(b)) => Bool(a < b),
                    (BinaryOp::Le, Int(a), Int(b)) => Bool(a <= b),
                    (BinaryOp::Gt, Int(a), Int(b)) => Bool(a > b),
                    (BinaryOp::Ge, Int(a), Int(b)) => Bool(a >= b),
                    _ => return Err(wrong("expected operators on numbers and booleans")),
                })
            }
            _ => Err(wrong("only parameters, numbers, booleans and operators on them can be used here")),
        }
    }
}
