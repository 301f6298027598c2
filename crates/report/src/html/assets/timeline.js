// The view of a history: a lane for each process, operations as bars, linearization points as numbers.

const LANE = 58;
const BAR = 30;
const NAMES = 120;
const WIDEST = 240;

/** Subsets of the operations that can be shown alone. */
const PARTS = [
  ["core", "Only operations that contradict each other", "They contradict each other whatever the other operations did"],
  ["minimal", "Only a minimal set that is not linearizable", "It is not linearizable even without the other operations"],
];

/** The timeline, with a line for details and a toggle for each subset that explains a violation. */
function makeTimeline({ history, points }) {
  const state = { part: null, selected: null, shown: [], plan: null };
  const canvas = html("div", { class: "canvas" });
  const scroller = html(
    "div",
    { class: "scroller timeline", tabindex: 0, role: "listbox", "aria-label": "Operations. Arrow keys select one." },
    canvas,
  );
  const detail = html("p", { class: "operation", role: "status" });
  const toggles = PARTS.filter(([name]) => history[name].length).map(([name, words, title]) => {
    const toggle = html("button", { class: "toggle", type: "button", id: name, "aria-pressed": "false", title }, words);
    toggle.addEventListener("click", () => {
      state.part = state.part === name ? null : name;
      for (const other of toggles) other.setAttribute("aria-pressed", String(other.id === state.part));
      draw();
    });
    return toggle;
  });
  const bar = html("div", { class: "toolbar" }, toggles, legend(history));
  scroller.addEventListener("click", event => {
    const hit = event.target.closest("[data-operation]");
    if (hit) choose(Number(hit.dataset.operation));
  });
  // The names stay visible while the timeline is scrolled.
  scroller.addEventListener("scroll", () =>
    canvas.querySelector(".lane-names")?.setAttribute("transform", `translate(${scroller.scrollLeft} 0)`),
  );
  function mark(i, chosen) {
    const element = canvas.querySelector(`[data-operation="${i}"]`);
    element?.classList.toggle("chosen", chosen);
    element?.setAttribute("aria-selected", String(chosen));
  }
  function choose(i) {
    if (state.selected !== null) mark(state.selected, false);
    state.selected = i;
    mark(i, true);
    reveal(i);
    detail.replaceChildren(...describeOperation(history, i));
  }
  /** Scrolls to an operation if its start is not visible. */
  function reveal(i) {
    const [x, y] = placeOf(history, state.plan, i);
    if (x < scroller.scrollLeft + NAMES || x > scroller.scrollLeft + scroller.clientWidth - 60)
      scroller.scrollLeft = x - scroller.clientWidth / 2;
    if (y < scroller.scrollTop || y > scroller.scrollTop + scroller.clientHeight - LANE)
      scroller.scrollTop = y - scroller.clientHeight / 2;
  }
  function draw() {
    const first = state.plan === null;
    const part = state.part && new Set(history[state.part]);
    state.shown = [...history.operations.keys()].filter(i => !part || part.has(i));
    state.plan = layTimeline(history, points, state.shown, scroller.clientWidth || 800);
    canvas.replaceChildren(drawTimeline(history, points, state.plan));
    if (first && history.stuck.length) reveal(history.stuck[0]);
    scroller.dispatchEvent(new Event("scroll"));
    if (state.selected !== null) mark(state.selected, true);
    detail.replaceChildren(...describeOperation(history, state.selected));
  }
  function move(by) {
    const order = [...state.shown].sort((a, b) => history.operations[a].start - history.operations[b].start);
    const at = order.indexOf(state.selected);
    if (order.length) choose(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + by))]);
  }
  return { element: html("section", { class: "history", "aria-label": "History" }, bar, scroller, detail), draw, move };
}

/** The position of the bar of an operation. */
function placeOf(history, plan, i) {
  const { start, process } = history.operations[i];
  return [plan.x(start), plan.tops[process] + plan.rows.row.get(i) * LANE];
}

function legend(history) {
  const item = (cls, words) => html("span", { class: "key" }, html("i", { class: cls }), words);
  const items = [item("bar", "an operation, from call to return")];
  if (history.operations.some(o => o.end === null)) items.push(item("bar pending", "never returned"));
  if (history.linearization.length) items.push(item("point", "where it took effect, in this order"));
  if (history.stuck.length) items.push(item("bar stuck", "no order has room for it"));
  if (history.faults.length) items.push(item("fault", "a fault"));
  return html("span", { class: "keys" }, items);
}

/** The layout. Only the order of events matters, so they have equal distances, or greater ones where an operation needs space for its label. */
function layTimeline(history, points, shown, available) {
  const marks = new Set();
  const seen = new Set(shown);
  shown.forEach(i => {
    marks.add(history.operations[i].start);
    if (history.operations[i].end !== null) marks.add(history.operations[i].end);
  });
  history.faults.forEach(fault => marks.add(fault.at));
  history.linearization.forEach((i, n) => {
    if (seen.has(i)) marks.add(points[n]);
  });
  const order = [...marks].sort((a, b) => a - b);
  const step = Math.max(26, Math.min(150, (available - NAMES - 70) / Math.max(1, order.length)));
  const ending = new Map();
  shown.forEach(i => ending.set(history.operations[i].end, history.operations[i]));
  const places = new Map();
  let next = NAMES + 20;
  let end = next;
  order.forEach(at => {
    const operation = ending.get(at);
    const place = operation ? Math.max(next, places.get(operation.start) + barWidth(operation)) : next;
    places.set(at, place);
    next = place + step;
  });
  shown.forEach(i => {
    const operation = history.operations[i];
    if (operation.end === null) end = Math.max(end, places.get(operation.start) + barWidth(operation));
  });
  end = Math.max(end, next);
  const x = at => places.get(at);
  const rows = stack(history, shown);
  const tops = [];
  let y = 44;
  const struck = new Set(history.faults.map(fault => fault.process));
  const lanes = [...history.lanes.keys()].filter(lane => rows.depth[lane] || struck.has(lane));
  lanes.forEach(lane => {
    tops[lane] = y;
    y += LANE * Math.max(1, rows.depth[lane]);
  });
  return { shown, seen, lanes, x, end, tops, rows, width: Math.max(available - 18, end + 30), height: y + 14 };
}

/** The preferred width of a bar. */
function barWidth(operation) {
  return Math.min(WIDEST, widthOf(inWords(operation), BOLD) + 24);
}

/** Places overlapping operations of one lane below each other. */
function stack(history, shown) {
  const depth = history.lanes.map(() => 0);
  const row = new Map();
  const free = history.lanes.map(() => []);
  for (const i of [...shown].sort((a, b) => history.operations[a].start - history.operations[b].start)) {
    const operation = history.operations[i];
    const ends = free[operation.process];
    let at = ends.findIndex(end => end < operation.start);
    if (at < 0) at = ends.length;
    ends[at] = operation.end ?? Infinity;
    row.set(i, at);
    depth[operation.process] = Math.max(depth[operation.process], at + 1);
  }
  return { row, depth };
}

function drawTimeline(history, points, plan) {
  const back = svg("g", { "aria-hidden": "true" });
  const bars = svg("g");
  const front = svg("g", { "aria-hidden": "true" });
  const names = svg(
    "g",
    { class: "lane-names", "aria-hidden": "true" },
    svg("rect", { class: "ground", x: 0, y: 0, width: NAMES, height: plan.height }),
  );
  plan.lanes.forEach(lane => {
    const [name, y] = [history.lanes[lane], plan.tops[lane]];
    back.append(svg("line", { class: "lane", x1: 0, x2: plan.width, y1: y - 10, y2: y - 10 }));
    names.append(
      svg("text", { class: "lane-name", x: 14, y: y + BAR / 2 + 5 }, fit(name, NAMES - 24), svg("title", {}, name)),
    );
  });
  const kinds = { stuck: new Set(history.stuck), minimal: new Set(history.minimal), core: new Set(history.core) };
  plan.shown.forEach(i => bars.append(drawOperation(history, plan, kinds, i)));
  drawFaults(history, plan, front);
  history.linearization.forEach((i, n) => {
    if (!plan.seen.has(i)) return;
    const [x, y] = [plan.x(points[n]), placeOf(history, plan, i)[1] + BAR];
    front.append(
      svg(
        "g",
        { class: "point" },
        svg("circle", { cx: x, cy: y, r: n < 99 ? 9 : 14 }),
        svg("text", { x, y: y + 4, "text-anchor": "middle" }, String(n + 1)),
      ),
    );
  });
  return svg(
    "svg",
    { width: plan.width, height: plan.height, viewBox: `0 0 ${plan.width} ${plan.height}`, role: "presentation" },
    back,
    bars,
    front,
    names,
  );
}

function drawOperation(history, plan, kinds, i) {
  const operation = history.operations[i];
  const [x1, y] = placeOf(history, plan, i);
  const x2 = operation.end === null ? plan.end : plan.x(operation.end);
  const own = Object.keys(kinds).filter(kind => kinds[kind].has(i));
  const words = inWords(operation);
  return svg(
    "g",
    {
      class: ["operation", ...(operation.end === null ? ["pending"] : []), ...own].join(" "),
      "data-operation": i,
      role: "option",
      "aria-selected": "false",
      "aria-label": `${history.lanes[operation.process]}: ${words}`,
    },
    svg("title", {}, words),
    svg("rect", { class: "bar", x: x1, y, width: Math.max(10, x2 - x1), height: BAR, rx: 7 }),
    svg("text", { class: "label", x: x1 + 9, y: y + BAR / 2 + 4 }, fit(words, Math.max(18, x2 - x1 - 16))),
  );
}

function inWords(operation) {
  const { call, response, end } = operation;
  if (end === null) return `${call} → never returned`;
  return response === "" ? call : `${call} → ${response ?? "?"}`;
}

/** The labels of faults that affect all processes are on one line: each has the space up to the next one. */
function drawFaults(history, plan, layer) {
  const wide = history.faults.filter(fault => fault.process === null).map(fault => plan.x(fault.at));
  const next = x => Math.min(...wide.filter(other => other > x), Infinity);
  history.faults.forEach(fault => {
    const x = plan.x(fault.at);
    drawFault(plan, layer, fault, x, fault.process === null ? Math.min(220, next(x) - x - 10) : 130);
  });
}

function drawFault(plan, layer, fault, x, available) {
  const [y1, y2] = fault.process === null ? [26, plan.height - 8] : [plan.tops[fault.process] - 6, plan.tops[fault.process] + BAR + 8];
  layer.append(
    svg(
      "g",
      { class: "fault" },
      svg("title", {}, fault.label),
      svg("line", { x1: x, x2: x, y1, y2 }),
      svg("text", { x: x + 4, y: fault.process === null ? 22 : y1 + 2 }, fit(fault.label, available)),
    ),
  );
}

function describeOperation(history, i) {
  if (i === null || i === undefined) return ["Click on an operation, or use the arrow keys."];
  const operation = history.operations[i];
  const effect = history.linearization.indexOf(i);
  const place = history.stuck.includes(i) ? " No order has room for it." : effect >= 0 ? ` It took effect as number ${effect + 1}.` : "";
  return [html("b", {}, history.lanes[operation.process]), ` ${inWords(operation)}.${place}`];
}
