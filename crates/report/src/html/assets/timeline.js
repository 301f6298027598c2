// A history: one lane a process, operations as bars, the order in which they took effect as numbered points.

const LANE = 58;
const BAR = 30;
const NAMES = 120;

/** The timeline, with its own detail line and, where there is a smallest bad part, a toggle for it. */
function makeTimeline({ history, points }) {
  const state = { minimal: false, selected: null };
  const canvas = html("div", { class: "canvas" });
  const scroller = html(
    "div",
    { class: "scroller timeline", tabindex: 0, role: "listbox", "aria-label": "Operations. Arrow keys select one." },
    canvas,
  );
  const detail = html("p", { class: "operation", role: "status" });
  const bar = html("div", { class: "toolbar" }, legend(history));
  if (history.minimal.length) {
    const toggle = html(
      "button",
      { class: "toggle", type: "button", id: "minimal", "aria-pressed": "false" },
      "Only a smallest part that is wrong by itself",
    );
    toggle.addEventListener("click", () => {
      state.minimal = !state.minimal;
      toggle.setAttribute("aria-pressed", String(state.minimal));
      draw();
    });
    bar.prepend(toggle);
  }
  scroller.addEventListener("click", event => {
    const hit = event.target.closest("[data-operation]");
    if (hit) choose(Number(hit.dataset.operation));
  });
  function choose(i) {
    state.selected = i;
    draw();
  }
  function draw() {
    const shown = [...history.operations.keys()].filter(i => !state.minimal || history.minimal.includes(i));
    const plan = layTimeline(history, points, shown, scroller.clientWidth || 800);
    canvas.replaceChildren(drawTimeline(history, points, plan, state));
    detail.replaceChildren(...tell(history, state.selected));
  }
  function move(by) {
    const shown = [...history.operations.keys()].filter(i => !state.minimal || history.minimal.includes(i));
    const order = shown.sort((a, b) => history.operations[a].start - history.operations[b].start);
    const at = order.indexOf(state.selected);
    if (order.length) choose(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + by))]);
  }
  return { element: html("section", { class: "history", "aria-label": "History" }, bar, scroller, detail), draw, move };
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

/** Only the order of events counts, so they stand at even distances. */
function layTimeline(history, points, shown, room) {
  const marks = new Set();
  shown.forEach(i => {
    marks.add(history.operations[i].start);
    if (history.operations[i].end !== null) marks.add(history.operations[i].end);
  });
  history.faults.forEach(fault => marks.add(fault.at));
  history.linearization.forEach((i, n) => {
    if (shown.includes(i)) marks.add(points[n]);
  });
  const order = [...marks].sort((a, b) => a - b);
  const rank = new Map(order.map((at, n) => [at, n]));
  const step = Math.max(34, Math.min(150, (room - NAMES - 70) / Math.max(1, order.length)));
  const x = at => NAMES + 20 + step * rank.get(at);
  const end = NAMES + 20 + step * order.length;
  const rows = stack(history, shown);
  const tops = [];
  let y = 44;
  history.lanes.forEach((_, lane) => {
    tops.push(y);
    y += LANE * Math.max(1, rows.depth[lane]);
  });
  return { shown, x, end, tops, rows, width: Math.max(room - 18, end + 30), height: y + 14 };
}

/** Operations of one lane that overlap go below each other. */
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

function drawTimeline(history, points, plan, state) {
  const back = svg("g", { "aria-hidden": "true" });
  const bars = svg("g");
  const front = svg("g", { "aria-hidden": "true" });
  history.lanes.forEach((name, lane) => {
    const y = plan.tops[lane];
    back.append(
      svg("line", { class: "lane", x1: 0, x2: plan.width, y1: y - 10, y2: y - 10 }),
      svg("text", { class: "lane-name", x: 14, y: y + BAR / 2 + 5 }, fit(name, NAMES - 24), svg("title", {}, name)),
    );
  });
  plan.shown.forEach(i => bars.append(drawOperation(history, plan, state, i)));
  history.faults.forEach(fault => drawFault(plan, front, fault));
  history.linearization.forEach((i, n) => {
    if (!plan.shown.includes(i)) return;
    const [x, y] = [plan.x(points[n]), plan.tops[history.operations[i].process] + plan.rows.row.get(i) * LANE + BAR];
    front.append(
      svg(
        "g",
        { class: "point" },
        svg("circle", { cx: x, cy: y, r: 9 }),
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
  );
}

function drawOperation(history, plan, state, i) {
  const operation = history.operations[i];
  const [x1, x2] = [plan.x(operation.start), operation.end === null ? plan.end : plan.x(operation.end)];
  const y = plan.tops[operation.process] + plan.rows.row.get(i) * LANE;
  const kinds = [
    "operation",
    operation.end === null ? "pending" : "",
    history.stuck.includes(i) ? "stuck" : "",
    history.minimal.includes(i) ? "minimal" : "",
    state.selected === i ? "chosen" : "",
  ];
  const words = inWords(operation);
  return svg(
    "g",
    {
      class: kinds.filter(Boolean).join(" "),
      "data-operation": i,
      role: "option",
      "aria-selected": String(state.selected === i),
      "aria-label": `${history.lanes[operation.process]}: ${words}`,
    },
    svg("title", {}, words),
    svg("rect", { class: "bar", x: x1, y, width: Math.max(10, x2 - x1), height: BAR, rx: 7 }),
    svg("text", { class: "label", x: x1 + 9, y: y + BAR / 2 + 4 }, fit(words, Math.max(18, x2 - x1 - 16))),
  );
}

function inWords(operation) {
  return operation.response === null ? `${operation.call} → never returned` : `${operation.call} → ${operation.response}`;
}

function drawFault(plan, layer, fault) {
  const x = plan.x(fault.at);
  const [y1, y2] = fault.process === null ? [26, plan.height - 8] : [plan.tops[fault.process] - 6, plan.tops[fault.process] + BAR + 8];
  layer.append(
    svg(
      "g",
      { class: "fault" },
      svg("title", {}, fault.label),
      svg("line", { x1: x, x2: x, y1, y2 }),
      svg("text", { x: x + 4, y: fault.process === null ? 22 : y1 + 2 }, fit(fault.label, 130)),
    ),
  );
}

function tell(history, i) {
  if (i === null || i === undefined) return ["Click on an operation, or use the arrow keys."];
  const operation = history.operations[i];
  const effect = history.linearization.indexOf(i);
  const place = history.stuck.includes(i) ? " No order has room for it." : effect >= 0 ? ` It took effect as number ${effect + 1}.` : "";
  return [html("b", {}, history.lanes[operation.process]), ` ${inWords(operation)}.${place}`];
}
