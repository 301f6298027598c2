// The execution graph of the DPOR engine: events, program order (po) and reads-from (rf), in layers of causality.

const LAYER = 62;
const BOX = 30;

/** The graph. It is redrawn when the view changes. */
function makeGraph(story, view) {
  const canvas = html("div", { class: "canvas" });
  const heads = html("div", { class: "heads", "aria-hidden": "true" });
  const scroller = html(
    "div",
    {
      class: "scroller graph",
      tabindex: 0,
      role: "listbox",
      "aria-label": "Events of the execution graph. Arrow keys select one.",
    },
    heads,
    canvas,
  );
  clickable(scroller, view);
  const show = () => reveal(scroller, HEAD, 0);
  function draw() {
    const plan = layGraph(story, view, scroller.clientWidth || 800);
    heads.replaceChildren(
      ...plan.columns.map(({ process, x }) =>
        html("div", { class: "head", style: `left:${x - plan.gap / 2 + 4}px;width:${plan.gap - 8}px` }, html("b", {}, story.name(process))),
      ),
    );
    heads.style.width = `${plan.width}px`;
    canvas.replaceChildren(drawGraph(story, plan));
    highlight(scroller, story, view);
  }
  view.listen(what => {
    if (!scroller.isConnected) return;
    if (what === "filter") draw();
    highlight(scroller, story, view);
    show();
  });
  return { element: scroller, draw, reveal: show };
}

/** The layout of the graph: a column for each process; the layer of an event is below the layers of all its causes. */
function layGraph(story, view, available) {
  const shown = [...story.steps.keys()];
  const steps = shown.filter(view.shows);
  const layer = new Map();
  // Steps that are filtered out still count for the layers of the others.
  shown.forEach(i => layer.set(i, 1 + Math.max(-1, ...story.causes[i].map(cause => layer.get(cause)))));
  const used = [...new Set(steps.map(i => layer.get(i)))].sort((a, b) => a - b);
  const processes = [...new Set(steps.map(i => story.steps[i].process))].sort((a, b) => a - b);
  const gap = Math.max(150, Math.min(240, (available - 30) / Math.max(1, processes.length)));
  const columns = processes.map((process, n) => ({ process, x: 15 + gap * (n + 0.5) }));
  const x = new Map(columns.map(column => [column.process, column.x]));
  const at = new Map(steps.map(i => [i, { x: x.get(story.steps[i].process), y: 30 + LAYER * used.indexOf(layer.get(i)) }]));
  return { columns, gap, at, steps, width: Math.max(available - 18, 30 + gap * columns.length), height: 40 + LAYER * used.length };
}

function drawGraph(story, plan) {
  const edges = svg("g", { "aria-hidden": "true" });
  const nodes = svg("g");
  for (const i of plan.steps) {
    for (const cause of story.causes[i]) if (plan.at.has(cause)) edges.append(drawEdge(story, plan, cause, i));
    nodes.append(drawNode(story, plan, i));
  }
  return svg(
    "svg",
    { width: plan.width, height: plan.height, viewBox: `0 0 ${plan.width} ${plan.height}`, role: "presentation" },
    edges,
    nodes,
  );
}

function drawEdge(story, plan, from, to) {
  const [a, b] = [plan.at.get(from), plan.at.get(to)];
  const kind = story.steps[to].reads === from ? "rf" : story.steps[from].process === story.steps[to].process ? "po" : "lifecycle";
  const [y1, y2] = [a.y + BOX / 2, b.y - BOX / 2 - 2];
  const d = a.x === b.x ? `M${a.x} ${y1} L${b.x} ${y2}` : roundabout(plan, a, b, y1, y2);
  const head = kind === "rf" ? "url(#full)" : "url(#open)";
  return svg("g", { class: `edge ${kind}`, "data-step": to }, svg("path", { class: "shaft", d, "marker-end": head }));
}

/** A path between the layers and between the columns, where there are no nodes. */
function roundabout(plan, a, b, y1, y2) {
  const toward = Math.sign(b.x - a.x);
  const box = (plan.gap - 22) / 2;
  const [out, into] = [a.x + toward * box * 0.7, b.x - toward * box * 0.5];
  const [above, below] = [a.y + LAYER / 2, b.y - LAYER / 2];
  if (above === below)
    return rounded([
      [out, y1],
      [out, above],
      [into, above],
      [into, y2],
    ]);
  const corridor = b.x - toward * (plan.gap / 2);
  return rounded([
    [out, y1],
    [out, above],
    [corridor, above],
    [corridor, below],
    [into, below],
    [into, y2],
  ]);
}

/** A path along these points with rounded corners. */
function rounded(points, radius = 9) {
  let d = `M${points[0].join(" ")}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [[px, py], [x, y], [nx, ny]] = [points[i - 1], points[i], points[i + 1]];
    const near = (tx, ty) => {
      const far = Math.hypot(tx - x, ty - y) || 1;
      const r = Math.min(radius, far / 2) / far;
      return `${x + (tx - x) * r} ${y + (ty - y) * r}`;
    };
    d += ` L${near(px, py)} Q${x} ${y} ${near(nx, ny)}`;
  }
  return `${d} L${points.at(-1).join(" ")}`;
}

function drawNode(story, plan, i) {
  const step = story.steps[i];
  const { x, y } = plan.at.get(i);
  const width = plan.gap - 22;
  const short = {
    send: `S ${story.label(i)}`,
    receive: `R ${story.label(i)}`,
    spawn: "spawn",
    join: "join",
    choose: `choose ${step.value === undefined ? "" : flat(itemOf(step.value))}`,
    fail: "fails",
    lose: isLoss(step) ? `lost ${story.label(i)}` : "not lost",
  };
  const words = short[step.kind] ?? step.kind;
  return svg(
    "g",
    {
      class: `event node ${step.kind}${story.failing.has(i) ? " bad" : ""}`,
      "data-step": i,
      role: "option",
      "aria-selected": "false",
      "aria-label": `Step ${i}: ${story.computed.sentences[i]}`,
    },
    svg("title", {}, story.computed.sentences[i]),
    svg("rect", { class: "box", x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: 8 }),
    svg("text", { class: "label", x, y: y + 4, "text-anchor": "middle" }, fit(words, width - 14)),
  );
}
