// A trace with derived data (causality, local states, the receives of messages), and the view state.

/** A trace with derived data. `computed` is the part that is computed in Rust, see `data.rs`. */
function makeStory(trace, computed) {
  const steps = trace.steps.map(plainStep);
  const causes = steps.map(() => []);
  const effects = steps.map(() => []);
  const arrivals = steps.map(() => []);
  const last = trace.processes.map(() => null);
  const states = trace.processes.map(() => null);
  const before = [];
  const after = [];
  steps.forEach((step, i) => {
    const known = new Set([...(step.parents || []), ...(step.reads === undefined ? [] : [step.reads])]);
    if (last[step.process] !== null) known.add(last[step.process]);
    causes[i] = [...known];
    known.forEach(cause => effects[cause].push(i));
    if (step.reads !== undefined) arrivals[step.reads].push(i);
    last[step.process] = i;
    before.push(states[step.process]);
    if (step.state !== undefined) states[step.process] = step.state;
    after.push(states[step.process]);
  });
  const reach = edges => start => {
    const seen = new Set();
    const open = [start];
    while (open.length)
      for (const next of edges[open.pop()])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const story = {
    trace,
    steps,
    computed,
    causes,
    effects,
    arrivals,
    before,
    after,
    past: reach(causes),
    future: reach(effects),
    failing: new Set(computed.failing),
    /** The message of a step. */
    text: i => computed.texts[steps[i].message] ?? "",
    /** The short label of the message of a step. */
    label: i => computed.labels[steps[i].message] ?? computed.texts[steps[i].message] ?? "",
    /** The message of a step, as an item for `layOut`. */
    message: i => messageItem(trace.messages[steps[i].message], computed.texts[steps[i].message]),
    name: process => trace.processes[process].name,
    hasStates: steps.some(step => step.state !== undefined),
  };
  story.cause = computed.cause && new Set(computed.cause.steps);
  story.types = [...new Set(computed.types.filter(type => type !== null))].sort();
  story.hue = type => story.types.indexOf(type) % 8;
  story.wide = new Set(
    [...trace.processes.keys()].filter(p => steps.some(s => s.process === p) && steps.every(s => s.process !== p || isPartition(s))),
  );
  return story;
}

/** A step with the fields of its kind at the top level: the other process, the message, the step that sent it. */
function plainStep({ kind, ...step }) {
  if (typeof kind === "string") return { ...step, kind };
  const [[name, of]] = Object.entries(kind);
  const plain = { ...step, kind: name };
  if (name === "action") plain.value = of;
  else if (name === "timer") plain.timer = of;
  else if (name === "choose") plain.value = of.value ?? String(of.option ?? "");
  else if (["send", "receive", "duplicate", "drop", "lose", "spawn", "join"].includes(name)) {
    plain.peer = of.to ?? of.from ?? of.child;
    plain.reads = of.send;
    plain.message = of.message;
    plain.network = of.network;
    plain.lost = of.lost;
  }
  return plain;
}

/** A message of the trace as an item. */
function messageItem(message, text) {
  if (message.value !== undefined) return itemOf(message.value);
  if (message.observed) return joined([`p${message.observed.from}→p${message.observed.to} `], itemOf(message.observed.value));
  return [text];
}

/** A partition of the network, or its end. It affects all processes. */
function isPartition(step) {
  return step.kind === "split" || step.kind === "heal";
}

/** Whether a message is sent, even if it is lost at once. */
function isSent(step) {
  return step.kind === "send" || step.kind === "lose";
}

/** Whether a program lost a message when it sent it. */
function isLoss(step) {
  return step.kind === "lose" && step.lost;
}

/** The filters and the selection. Listeners are called on changes. */
function makeView(story) {
  const listeners = [];
  const view = {
    selected: null,
    hiddenProcesses: new Set(),
    hiddenTypes: new Set(),
    onlyCauses: false,
    listen: listener => listeners.push(listener),
    changed: what => listeners.forEach(listener => listener(what)),
    shows(i) {
      const step = story.steps[i];
      if (view.hiddenProcesses.has(step.process)) return false;
      if (story.computed.types[i] !== null && view.hiddenTypes.has(story.computed.types[i])) return false;
      return !view.onlyCauses || story.cause.has(i);
    },
    rows: () => story.computed.rows.map(row => row.filter(view.shows)).filter(row => row.length),
    order: () => view.rows().flat(),
    select(i) {
      view.selected = i;
      view.changed("selection");
    },
    /** Moves the selection by a number of steps in drawing order; without a selection, selects the first or the last step. */
    move(by) {
      const order = view.order();
      if (!order.length) return;
      const at = order.indexOf(view.selected);
      const far = at < 0 ? (by === 1 ? 0 : by === -1 ? Infinity : by) : at + by;
      view.select(order[Math.min(order.length - 1, Math.max(0, far))]);
    },
    filter(change) {
      change(view);
      if (view.selected !== null && !view.shows(view.selected)) view.selected = null;
      view.changed("filter");
    },
  };
  return view;
}
