//! Random small programs, as text, from a list of decisions: a shorter list is a smaller program.

use std::fmt::Write;

/// The decisions: when they are used up, the first option is taken.
struct Decisions<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Decisions<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % n
    }

    fn of<'b>(&mut self, options: &[&'b str]) -> &'b str {
        options[self.pick(options.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        // The first option must be `false`.
        self.pick(100) >= 100 - percent
    }
}

/// What a function is used for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Entry,
    Do,
    Exit,
    Helper,
    Spec,
}

/// The events with the types of their payloads.
const EVENTS: [(&str, Option<&str>); 3] = [("eA", Some("int")), ("eB", None), ("eC", Some("machine"))];

/// Machines refer to others and may halt, so names may be used again.
const MACHINES: [&str; 3] = ["Main", "One", "Two"];

/// A random program with the test `tc`.
pub fn program(bytes: &[u8]) -> String {
    generated(bytes, false)
}

/// The same with few failures, little growth and much that goes round.
pub fn lively(bytes: &[u8]) -> String {
    generated(bytes, true)
}

fn generated(bytes: &[u8], lively: bool) -> String {
    let mut generator = Generator { d: Decisions { bytes, at: 0 }, functions: String::new(), count: 0, lively };
    let machines = 2 + generator.d.pick(2);
    let mut text = String::from("event eA: int;\nevent eB;\nevent eC: machine;\n");
    for name in &MACHINES[..machines] {
        writeln!(text, "interface {name} () receives all;").unwrap();
    }
    for name in &MACHINES[..machines] {
        text.push_str(&generator.machine(name, machines));
    }
    let spec = lively || generator.d.chance(60);
    if spec {
        text.push_str(&generator.spec());
    }
    text.push_str(&generator.functions);
    text.push_str("test tc main Main { ");
    for name in &MACHINES[..machines] {
        write!(text, "{name} -> {name}; ").unwrap();
    }
    if spec {
        text.push_str(if generator.d.chance(20) { "assert Watch on (Main); " } else { "assert Watch; " });
    }
    text.push_str("}\n");
    text
}

struct Generator<'a> {
    d: Decisions<'a>,
    functions: String,
    count: usize,
    lively: bool,
}

impl Generator<'_> {
    fn machine(&mut self, name: &str, machines: usize) -> String {
        let mut text = format!(
            "machine {name} receives all sends all {{\n  field n: int;\n  field m: machine;\n  field q: seq[int];\n  field s: set[int];\n"
        );
        let helper = self.function(name, Use::Helper, None, machines, "");
        for state in ["S0", "S1"] {
            let start = if state == "S0" { "start " } else { "" };
            writeln!(text, "  {start}state {state} {{").unwrap();
            if state == "S0" || self.d.chance(40) {
                let entry = self.function(name, Use::Entry, None, machines, &helper);
                writeln!(text, "    entry {entry};").unwrap();
            }
            if self.d.chance(25) {
                let exit = self.function(name, Use::Exit, None, machines, &helper);
                writeln!(text, "    exit {exit};").unwrap();
            }
            for (event, payload) in EVENTS {
                self.handler(&mut text, name, event, payload, machines, &helper);
            }
            if self.d.chance(12) {
                let handler = self.d.of(&["ignore @halt;", "defer @halt;", "on @halt goto S1;"]);
                writeln!(text, "    {handler}").unwrap();
            }
            if self.d.chance(8) {
                let null = self.function(name, Use::Do, None, machines, &helper);
                writeln!(text, "    on @null do {null};").unwrap();
            }
            text.push_str("  }\n");
        }
        text.push_str("}\n");
        text
    }

    fn handler(
        &mut self,
        text: &mut String,
        name: &str,
        event: &str,
        payload: Option<&str>,
        machines: usize,
        helper: &str,
    ) {
        let payload = payload.filter(|_| self.d.chance(80));
        match self.d.pick(9) {
            0..4 => {
                let function = self.function(name, Use::Do, payload, machines, helper);
                writeln!(text, "    on @{event} do {function};").unwrap();
            }
            4 => {
                let target = self.d.of(&["S1", "S0"]);
                writeln!(text, "    on @{event} goto {target};").unwrap();
            }
            5 => {
                let target = self.d.of(&["S1", "S0"]);
                let with = self.function(name, Use::Exit, payload, machines, helper);
                writeln!(text, "    on @{event} goto {target} with {with};").unwrap();
            }
            6 => writeln!(text, "    defer @{event};").unwrap(),
            7 => writeln!(text, "    ignore @{event};").unwrap(),
            _ if self.lively || self.d.chance(60) => writeln!(text, "    ignore @{event};").unwrap(),
            _ => {}
        }
    }

    fn spec(&mut self) -> String {
        let mut text = String::from("spec Watch receives all sends all observes {@eA, @eB} {\n  field n: int;\n");
        for state in ["S0", "S1"] {
            let start = if state == "S0" { "start " } else { "" };
            let temperature = match self.lively {
                false => self.d.of(&["", "cold ", "hot "]),
                true => self.d.of(&["hot ", "cold ", "hot ", ""]),
            };
            writeln!(text, "  {start}{temperature}state {state} {{").unwrap();
            for (event, payload) in &EVENTS[..2] {
                match self.d.pick(5) {
                    0 => writeln!(text, "    ignore @{event};").unwrap(),
                    1 => {
                        let target = self.d.of(&["S1", "S0"]);
                        writeln!(text, "    on @{event} goto {target};").unwrap();
                    }
                    4 if !self.lively && self.d.chance(50) => {}
                    2..5 if self.lively => {
                        let target = self.d.of(&["S1", "S0"]);
                        writeln!(text, "    on @{event} goto {target};").unwrap();
                    }
                    _ => {
                        let function = self.function("Watch", Use::Spec, *payload, 0, "");
                        writeln!(text, "    on @{event} do {function};").unwrap();
                    }
                }
            }
            text.push_str("  }\n");
        }
        text.push_str("}\n");
        text
    }

    /// Adds a function, and returns its name.
    fn function(&mut self, machine: &str, used: Use, param: Option<&str>, machines: usize, helper: &str) -> String {
        let name = format!("{machine}.f{}", self.count);
        self.count += 1;
        let params = param.map(|ty| format!("p: {ty}")).unwrap_or_default();
        let mut body = Body { text: String::new(), blocks: 0 };
        body.begin();
        if used == Use::Entry && machine == "Main" && self.d.chance(90) {
            // Something happens in nearly every program.
            for other in &MACHINES[1..machines] {
                body.line(&format!("k = new {other}()"));
                body.line("send k, @eC, this");
                if !self.lively && self.d.chance(50) {
                    body.line("send k, @eA, 1");
                }
            }
            body.line("this.m = k");
        }
        if self.lively && param == Some("machine") {
            body.line("this.m = p");
        }
        let statements = match used {
            Use::Entry => 1 + self.d.pick(4),
            Use::Helper | Use::Exit => 1 + self.d.pick(2),
            _ => self.d.pick(4),
        };
        for _ in 0..statements {
            self.statement(&mut body, used, param, machines, helper);
        }
        self.last(&mut body, used, machine);
        writeln!(
            self.functions,
            "fun {name} in {machine} ({params}) {{\n  local c: bool;\n  local i: int;\n  local k: machine;\n{}}}",
            body.text
        )
        .unwrap();
        name
    }

    fn last(&mut self, body: &mut Body, used: Use, machine: &str) {
        if self.lively
            && (used == Use::Do && self.d.chance(85) || used == Use::Entry && machine == "Main" && self.d.chance(50))
        {
            let send =
                self.d.of(&["send this.m, @eA, this.n", "send this.m, @eB", "send this, @eB", "send this, @eA, 1"]);
            body.skip_if("(this.m != null)", |body| body.line(send));
        }
        let end = match (used, self.d.pick(if self.lively { 10 } else { 12 })) {
            (Use::Exit | Use::Helper, _) => "return",
            (_, 8) => "goto S1",
            (_, 9) => "goto S0",
            (Use::Spec, _) => "return",
            (_, 10) => "raise @eB",
            (_, 11) => "raise @halt",
            _ => "return",
        };
        body.line(end);
    }

    fn int(&mut self, param: Option<&str>) -> String {
        match self.d.pick(4) {
            0 => "1".to_string(),
            1 => "this.n".to_string(),
            2 if param == Some("int") => "p".to_string(),
            _ => format!("((this.n + {}) % 3)", self.d.pick(3)),
        }
    }

    fn machine_value(&mut self, param: Option<&str>) -> String {
        match self.d.pick(4) {
            0 | 1 => "this.m".to_string(),
            2 if param == Some("machine") => "p".to_string(),
            2 if self.d.chance(10) => "k".to_string(),
            _ if self.d.chance(30) => "this".to_string(),
            _ => "this.m".to_string(),
        }
    }

    fn statement(&mut self, body: &mut Body, used: Use, param: Option<&str>, machines: usize, helper: &str) {
        if used == Use::Spec {
            let n = self.d.pick(3);
            return match self.d.pick(3) {
                0 => body.line(&format!("this.n = ((this.n + {n}) % 4)")),
                1 => body.line(&format!("assert (this.n != {}), \"watch\"", n + 1)),
                _ => body.skip_if(&format!("(this.n == {n})"), |body| body.line("this.n = 0")),
            };
        }
        let kind = if self.lively { [7, 8, 9, 8, 9, 23][self.d.pick(6)] } else { self.d.pick(30) };
        match kind {
            28 => {
                let create = MACHINES[1..machines][self.d.pick(machines - 1)];
                body.line(&format!("k = new {create}()"));
                if self.d.chance(70) {
                    body.line("this.m = k");
                }
            }
            0..7 | 17..21 => self.send(body, param),
            7 => {
                let n = self.int(param);
                body.line(&format!("this.n = {n}"));
            }
            8 => {
                let choice = self.d.of(&["bool", "fair"]);
                body.line(&format!("c = choose {choice}"));
                let n = self.d.pick(3);
                body.skip_if("c", |body| body.line(&format!("this.n = {n}")));
            }
            9 => {
                let from = self.d.of(&["int(2)", "int(3)", "of(this.s)", "of(this.q)"]);
                let line = format!("i = choose {from}");
                match from.starts_with("of(") && self.d.chance(85) {
                    true => body.skip_if(&format!("(sizeof{} > 0)", &from[2..]), |body| body.line(&line)),
                    false => body.line(&line),
                }
                body.line("this.n = i");
            }
            10 => {
                let limit = 2 + self.d.pick(3);
                body.line(&format!("assert (this.n < {limit}), \"machine\""));
            }
            11 => {
                let event = self.d.of(&["@eA, 1", "@eB"]);
                body.line(&format!("announce {event}"));
            }
            12 => {
                let n = self.int(param);
                body.line(&format!("add this.s, {n}"));
                if self.d.chance(30) {
                    body.line("remove this.s, 1");
                }
            }
            13 => {
                body.skip_if("(sizeof(this.q) < 2)", |body| body.line("insert this.q, 0, this.n"));
                if self.d.chance(30) {
                    body.line("this.q[0] = 2");
                }
                if self.d.chance(15) {
                    body.line("remove this.q, 1");
                }
            }
            14 if used != Use::Helper => body.line(&format!("call {helper}()")),
            15 | 16 if param == Some("machine") => body.line("this.m = p"),
            21 | 22 => self.receive(body, used),
            _ => body.line("this.n = ((this.n + 1) % 3)"),
        }
    }

    fn send(&mut self, body: &mut Body, param: Option<&str>) {
        let target = self.machine_value(param);
        let send = match self.d.pick(4) {
            0 | 3 => format!("send {target}, @eB"),
            1 if self.d.chance(5) => format!("send {target}, @eA"),
            1 => format!("send {target}, @eA, {}", self.int(param)),
            _ => format!("send {target}, @eC, {}", self.machine_value(param)),
        };
        let guarded = target == "this.m" && self.d.chance(95);
        match guarded {
            true => body.skip_if("(this.m != null)", |body| body.line(&send)),
            false => body.line(&send),
        }
    }

    fn receive(&mut self, body: &mut Body, used: Use) {
        if used == Use::Exit && !self.d.chance(30) {
            return body.line("i = 0");
        }
        let next = body.blocks;
        let cases = match self.d.pick(4) {
            0 => format!("@eA (i) -> b{next}"),
            1 => format!("@eB -> b{next}, @eA (i) -> b{next}"),
            2 => format!("@eC (k) -> b{next}"),
            _ => format!("@eB -> b{next}, @halt -> b{next}"),
        };
        body.line(&format!("receive {{ {cases} }}"));
        body.begin();
        body.line("this.n = i");
    }
}

/// The text of a body.
struct Body {
    text: String,
    blocks: usize,
}

impl Body {
    fn begin(&mut self) {
        writeln!(self.text, "b{}:", self.blocks).unwrap();
        self.blocks += 1;
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line};").unwrap();
    }

    /// Statements that are executed only if a condition holds.
    fn skip_if(&mut self, condition: &str, inside: impl FnOnce(&mut Body)) {
        let (then, after) = (self.blocks, self.blocks + 1);
        self.line(&format!("if {condition} b{then} else b{after}"));
        self.begin();
        inside(self);
        self.line(&format!("jump b{after}"));
        self.begin();
    }
}
