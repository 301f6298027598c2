// What the page knows about a trace: who comes before whom, what state a process is in, where a message went.

/** A trace with everything that follows from it. */
function makeStory(trace, told) {
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
    told,
    causes,
    effects,
    arrivals,
    before,
    after,
    past: reach(causes),
    future: reach(effects),
    failing: new Set(told.failing),
    /** The message of a step. */
    text: i => told.texts[steps[i].message] ?? "",
    /** A message where there is little room. */
    label: i => told.labels[steps[i].message] ?? told.texts[steps[i].message] ?? "",
    /** The message of a step, to be laid out. */
    message: i => messageItem(trace.messages[steps[i].message], told.texts[steps[i].message]),
    name: process => trace.processes[process].name,
    hasStates: steps.some(step => step.state !== undefined),
  };
  story.cause = told.cause && new Set(told.cause.steps);
  story.types = [...new Set(told.types.filter(type => type !== null))].sort();
  story.hue = type => story.types.indexOf(type) % 8;
  story.wide = new Set(
    [...trace.processes.keys()].filter(p => steps.some(s => s.process === p) && steps.every(s => s.process !== p || isPartition(s))),
  );
  return story;
}

/** A step with what its kind says beside it: the other process, the message, the step that sent it. */
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

/** Something that happens to everybody. */
function isPartition(step) {
  return step.kind === "split" || step.kind === "heal";
}

/** A message sets out, whether it gets anywhere or not. */
function isSent(step) {
  return step.kind === "send" || step.kind === "lose";
}

/** A message that a program lost as it sent it. */
function isLoss(step) {
  return step.kind === "lose" && step.lost;
}

/** What may be seen, and what is selected. Whoever draws listens. */
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
      if (story.told.types[i] !== null && view.hiddenTypes.has(story.told.types[i])) return false;
      return !view.onlyCauses || story.cause.has(i);
    },
    rows: () => story.told.rows.map(row => row.filter(view.shows)).filter(row => row.length),
    order: () => view.rows().flat(),
    select(i) {
      view.selected = i;
      view.changed("selection");
    },
    /** Selects the step that is so many steps further down; without a selection, the first or the last. */
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
