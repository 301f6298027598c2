//! Values as text: as `format` of P renders them, and as trees for traces.

use crate::names::NameId;
use crate::value::{Val, Value, Values};
use manyworlds_core::ValueTree;
use manyworlds_p_ir::Program;

/// Texts are cut here: a program can build values that are larger as text than as values.
const LONGEST: usize = 1 << 20;

/// The name of an instance: its interface or declaration, and its numbers.
pub fn machine(program: &Program, values: &Values, name: NameId) -> String {
    let known = values.names.get(name);
    match known.interface {
        Some(interface) => format!("{}({})", program.interface(interface).name, values.names.path(name)),
        None => program.machine(known.machine).name.clone(),
    }
}

/// A value as `format` renders it. `None` if the text is too long.
pub fn render(program: &Program, values: &Values, value: Val) -> Option<String> {
    let mut out = String::new();
    write(program, values, value, &mut out);
    (out.len() <= LONGEST).then_some(out)
}

fn write(program: &Program, values: &Values, value: Val, out: &mut String) {
    if out.len() > LONGEST {
        return;
    }
    let text = |value: Val| {
        let mut out = String::new();
        write(program, values, value, &mut out);
        out
    };
    match &**values.get(value) {
        Value::Null => {}
        Value::Bool(b) => out.push_str(if *b { "True" } else { "False" }),
        Value::Int(n) | Value::Enum(_, n) => out.push_str(&n.to_string()),
        Value::Float(bits) => out.push_str(&float(f64::from_bits(*bits))),
        Value::String(text) => out.push_str(text),
        Value::Event(event) => out.push_str(&program.event(*event).name),
        Value::Machine(name, _) => out.push_str(&machine(program, values, *name)),
        Value::Seq(items) => {
            out.push('(');
            for (n, &item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                write(program, values, item, out);
            }
            out.push(')');
        }
        Value::Set(items) => {
            let mut texts: Vec<String> = items.iter().map(|&item| format!("<{}>", text(item))).collect();
            texts.sort();
            out.push_str(&format!("({})", texts.join(", ")));
        }
        Value::Map(entries) => {
            let entry = |&(key, value): &(Val, Val)| format!("<{}->{}>", text(key), text(value));
            let mut texts: Vec<String> = entries.iter().map(entry).collect();
            texts.sort();
            out.push_str(&format!("({})", texts.join(", ")));
        }
        Value::Tuple(items) => {
            out.push('<');
            for &item in items {
                write(program, values, item, out);
                out.push(',');
            }
            out.push('>');
        }
        Value::Named(names, items) => {
            out.push('<');
            for (name, &item) in program.types.names_of(*names).iter().zip(items) {
                out.push_str(name);
                out.push(':');
                write(program, values, item, out);
                out.push_str(", ");
            }
            out.push('>');
        }
    }
}

/// A floating-point number as .NET renders it: shortest digits, an exponent from 1E+15 on and below 1E-5.
fn float(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_string();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "-∞" }.to_string();
    }
    let size = x.abs();
    if x != 0.0 && !(1e-5..1e15).contains(&size) {
        let text = format!("{x:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}E{sign}{exponent:0>2}");
    }
    format!("{x}")
}

/// A value as a tree, with the names of enum elements.
pub fn tree(program: &Program, values: &Values, value: Val) -> ValueTree {
    let atom = |text: String| ValueTree::Atom(text);
    let all = |items: &[Val]| items.iter().map(|&item| tree(program, values, item)).collect();
    match &**values.get(value) {
        Value::Null => atom("null".to_string()),
        Value::Bool(b) => atom(b.to_string()),
        Value::Int(n) => atom(n.to_string()),
        Value::Enum(id, n) => {
            let declared = &program.enums[id.index()];
            let element = declared.elements.iter().find(|(_, number)| number == n);
            atom(element.map_or_else(|| n.to_string(), |(name, _)| name.clone()))
        }
        Value::Float(bits) => atom(format!("{:?}", f64::from_bits(*bits))),
        Value::String(text) => atom(format!("{text:?}")),
        Value::Event(event) => atom(program.event(*event).name.clone()),
        Value::Machine(name, _) => atom(machine(program, values, *name)),
        Value::Seq(items) => ValueTree::List(all(items)),
        Value::Set(items) => ValueTree::Set(all(items)),
        Value::Map(entries) => {
            let pair = |&(key, value): &(Val, Val)| (tree(program, values, key), tree(program, values, value));
            ValueTree::Map(entries.iter().map(pair).collect())
        }
        Value::Tuple(items) => ValueTree::Tuple(String::new(), all(items)),
        Value::Named(names, items) => {
            let names = program.types.names_of(*names);
            let field = |(name, &item): (&String, &Val)| (name.clone(), tree(program, values, item));
            ValueTree::Struct(String::new(), names.iter().zip(items).map(field).collect())
        }
    }
}
