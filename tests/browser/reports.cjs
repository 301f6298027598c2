// Uses reports as a person would, and compares what is on the screen with the data in the page.
// `node reports.cjs DIR WORDS` runs only the tests whose names have these words in them.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const {
  DESK,
  PHONE,
  arrives,
  arrowsMatch,
  background,
  bare,
  chosen,
  dataOf,
  fitsTheScreen,
  numbers,
  out,
  pastOf,
  reachable,
  runAll,
  test,
  withinChart,
} = require("./harness.cjs");

for (const file of ["raft-bug", "abd-bug", "two-phase-commit-bug", "2pc-tla-bug", "chain", "everything"])
  for (const [size, viewport] of [
    ["desk", DESK],
    ["phone", PHONE],
  ])
    test(
      `${file} is drawn on a ${size}`,
      file,
      async page => {
        await arrowsMatch(page);
        await fitsTheScreen(page);
        for (const button of await page.locator("#view-chart .toolbar button, #view-chart .keys").all())
          assert.ok(await reachable(button, viewport), `${await button.innerText()} can be seen`);
        const failure = page.locator("#view-chart .event.bad .halo");
        if (await failure.count()) assert.ok(await withinChart(page, failure.first()), "the failure is in sight when the page opens");
        const chart = await page.locator("#view-chart .scroller").boundingBox();
        assert.ok(chart.height > 200 && chart.width > 300, `the chart has room: ${chart.width}×${chart.height}`);
        const detail = await page.locator("#view-chart .detail").boundingBox();
        assert.ok(detail.y + 80 < viewport.height, "the details are on the screen");
      },
      { viewport, shot: `${file}-${size}` },
    );

test("arrow keys walk along the steps in drawing order", "raft-bug", async page => {
  const { story } = await dataOf(page);
  const order = story.rows.flat();
  assert.equal(await chosen(page), story.failing[0], "the failing step is selected first");
  await page.keyboard.press("Home");
  assert.equal(await chosen(page), order[0]);
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(page), order[1]);
  await page.keyboard.press("j");
  assert.equal(await chosen(page), order[2]);
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await chosen(page), order[0], "there is nothing above the first");
  await page.keyboard.press("End");
  assert.equal(await chosen(page), order.at(-1));
  await page.keyboard.press("Escape");
  assert.equal(await chosen(page), null);
  await page.keyboard.press("f");
  assert.equal(await chosen(page), story.failing[0]);
  const active = await page.getAttribute("#view-chart .scroller", "aria-activedescendant");
  assert.equal(active, `step-${story.failing[0]}`);
});

for (const file of ["raft-bug", "abd-bug", "two-phase-commit-bug", "everything"])
  test(`${file}: the details show the message and the state of the selected step`, file, async page => {
    const { trace } = await dataOf(page);
    await page.keyboard.press("Home");
    for (let n = 0; n < trace.steps.length; n++, await page.keyboard.press("ArrowDown")) {
      const i = await chosen(page);
      const step = trace.steps[i];
      const shown = page.locator("#view-chart .the-message");
      if (["send", "receive", "duplicate", "drop", "lose"].includes(step.kind))
        assert.equal(bare(await shown.innerText()), bare(step.message), `step ${i}`);
      if (step.state === undefined) continue;
      const kept = await page.$$eval("#view-chart .the-state .line:not(.gone), #view-chart .the-state .value:not(.diff)", found =>
        found
          .map(line => {
            const copy = line.cloneNode(true);
            copy.querySelectorAll(".sign, .unseen").forEach(sign => sign.remove());
            return copy.textContent;
          })
          .join(""),
      );
      if (kept) assert.equal(bare(kept), bare(step.state), `state after step ${i}`);
    }
  });

/** The fields of a struct as `Debug` shows it, cut where a comma stands in no bracket of its own. */
function fieldsOf(text) {
  const inside = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}"));
  const fields = [""];
  let depth = 0;
  for (const c of inside) {
    depth += "([{".includes(c) - ")]}".includes(c);
    if (c === "," && depth === 0) fields.push("");
    else fields[fields.length - 1] += c;
  }
  return fields.map(field => field.trim());
}

for (const file of ["german-bug", "2pc-tla-bug", "raft-bug"])
  test(`${file}: only the fields that change are marked`, file, async page => {
    const { trace } = await dataOf(page);
    const states = new Map();
    const lines = kind =>
      page.$$eval(`#view-chart .the-state .line.${kind}`, found =>
        found.map(line => {
          const copy = line.cloneNode(true);
          copy.querySelectorAll(".sign, .unseen").forEach(sign => sign.remove());
          return copy.textContent;
        }),
      );
    let compared = 0;
    for (const [i, { process, state: after }] of trace.steps.entries()) {
      if (after === undefined) continue;
      const before = states.get(process);
      states.set(process, after);
      if (before === undefined || before === after) continue;
      await page.locator(`#view-chart .event[data-step="${i}"]`).click();
      const [gone, added, same] = [await lines("gone"), await lines("new"), await lines("same")];
      if (!same.length) continue;
      const [old, now] = [fieldsOf(before), fieldsOf(after)];
      // A line of the outermost fields begins with two spaces.
      const named = list => new Set(list.map(line => line.match(/^ {2}(\w+): /)?.[1]).filter(Boolean));
      const name = field => field.split(":")[0];
      const kept = now.filter(field => old.includes(field)).map(name);
      const changed = new Set([...named(gone), ...named(added)]);
      assert.ok(
        kept.every(field => !changed.has(field)),
        `step ${i}: ${[...changed]} are marked, and ${kept} are the same`,
      );
      assert.ok(kept.every(field => named(same).has(field)));
      compared += 1;
    }
    assert.ok(compared > 1, "the test says something");
  });

test(
  "a long trace is a small page with everything in it",
  "large",
  async page => {
    const { trace } = await dataOf(page);
    assert.equal(trace.steps.length, 200);
    const told = JSON.stringify(trace).length;
    assert.ok(told > 1_500_000 && fs.statSync(path.join(out, "large.html")).size < 1_000_000, `${told} bytes are told`);
    await arrowsMatch(page);
    const title = await page.locator("#view-chart .detail h2").boundingBox();
    assert.ok(title.height < 120, "its details do not begin with all of a message");
    const [number, chart] = [page.locator("#view-chart .number").last(), page.locator("#view-chart .scroller")];
    assert.ok((await number.boundingBox()).x >= (await chart.boundingBox()).x, "its numbers have room");
    await page.keyboard.press("End");
    const last = trace.steps.length - 1;
    assert.equal(await chosen(page), last);
    assert.equal(bare(await page.locator("#view-chart .the-message").innerText()), bare(trace.steps[last].message));
    const kept = await page.$$eval("#view-chart .the-state .line.gone, #view-chart .the-state .line.new", found => found.length);
    assert.ok(kept > 0 && kept < 450, `${kept} lines are marked`);
  },
  { shot: "large" },
);

test("a click selects, and past and future are lit", "abd-bug", async page => {
  const { trace } = await dataOf(page);
  const step = trace.steps.findIndex(arrives);
  await page.locator(`#view-chart .event[data-step="${step}"]`).click();
  assert.equal(await chosen(page), step);
  const past = pastOf(trace, step);
  assert.deepEqual(new Set(await numbers(page, "#view-chart .event.past")), past);
  const future = new Set([...trace.steps.keys()].filter(i => pastOf(trace, i).has(step)));
  assert.deepEqual(new Set(await numbers(page, "#view-chart .event.future")), future);
  assert.ok(past.size > 0 && future.size > 0 && past.size + future.size + 1 < trace.steps.length, "the test says something");
});

/** The steps that are shown once everything that explains nothing is hidden. */
async function causeOf(page) {
  const { trace } = await dataOf(page);
  await page.locator("#view-chart .only").click();
  const shown = new Set(await numbers(page, "#view-chart .event"));
  assert.ok(shown.size > 0 && shown.size < trace.steps.length, "the test says something");
  // Whatever is shown is shown with the message that it reads.
  for (const i of shown) assert.ok(trace.steps[i].reads === undefined || shown.has(trace.steps[i].reads), `step ${i} reads what is hidden`);
  return shown;
}

test("what led to a bad state is more than what led to the last step", "raft-bug", async page => {
  const { trace, story } = await dataOf(page);
  assert.equal(await page.locator("#view-chart .only").innerText(), "Only what led to these states");
  const shown = await causeOf(page);
  const leaders = [...trace.steps.keys()].filter(i => trace.steps[i].state?.includes("role: Leader"));
  assert.equal(new Set(leaders.map(i => trace.steps[i].process)).size, 2);
  assert.ok(
    leaders.some(i => !pastOf(trace, story.failing[0]).has(i) && i !== story.failing[0]),
    "one of them became leader without the other's knowledge",
  );
  assert.ok(
    leaders.every(i => shown.has(i)),
    "both leaders are shown",
  );
  // Nobody would be in another state without what is hidden.
  const hidden = [...trace.steps.keys()].filter(i => !shown.has(i));
  assert.ok(hidden.every(i => trace.steps[i].state === undefined && !trace.steps.some((step, j) => step.reads === i && shown.has(j))));
  await page.locator("#view-chart .only").click();
  await arrowsMatch(page);
});

for (const file of ["open-chord", "open-chord-must", "multi-paxos-map-bug"])
  test(
    `${file}: the operations that contradict each other are shown, and what led to them`,
    file,
    async page => {
      const { trace } = await dataOf(page);
      assert.equal(await page.locator("#view-chart .only").innerText(), "Only the operations at odds");
      const shown = await causeOf(page);
      const { operations, core } = trace.history;
      const said = words => [...trace.steps.keys()].filter(i => shown.has(i) && (trace.steps[i].message ?? "").includes(words));
      for (const { call, response, invoked, returned } of core.map(number => operations[number])) {
        assert.ok(shown.has(invoked) && shown.has(returned), `${call} is shown from call to return`);
        assert.ok(said(`invoked ${call}`).length && said(`returned ${response}`).length);
      }
      assert.ok(
        core.some(number => /^(Put|Write)/.test(operations[number].call)),
        "a write is among them",
      );
      assert.ok(shown.has(trace.steps.length - 1), "so is the complaint");
    },
    { shot: `${file}-cause` },
  );

test("what is about no step does not offer one", "everything", async page => {
  assert.equal(await page.locator(".only, .jump").count(), 0);
  assert.doesNotMatch(await page.locator("#view-chart .detail").innerText(), /f for the failure/);
});

test(
  "processes and types of messages can be hidden",
  "raft-bug",
  async page => {
    const { trace, story } = await dataOf(page);
    await page.locator("#view-chart [data-filter=hiddenTypes] summary").click();
    await page.locator("#view-chart [data-filter=hiddenTypes] label", { hasText: "RequestVote" }).click();
    const shown = await numbers(page, "#view-chart .event");
    assert.deepEqual(new Set(shown), new Set([...trace.steps.keys()].filter(i => story.types[i] !== "RequestVote")));
    await page.locator("#view-chart [data-filter=hiddenTypes] label", { hasText: "RequestVote" }).click();
    await page.locator("#view-chart [data-filter=hiddenTypes] summary").click();
    await page.locator("#view-chart [data-filter=hiddenProcesses] summary").click();
    await page.locator("#view-chart [data-filter=hiddenProcesses] label", { hasText: "node0" }).click();
    const rest = await numbers(page, "#view-chart .event");
    assert.ok(rest.length > 0 && rest.every(i => trace.steps[i].process !== 0));
  },
  { shot: "raft-bug-filter" },
);

test(
  "menus close on Escape and beside them, and only one is open",
  "chain",
  async page => {
    const open = () => page.$$eval("#view-chart details.filter[open]", found => found.map(menu => menu.dataset.filter));
    const summary = name => page.locator(`#view-chart [data-filter=${name}] summary`);
    await summary("hiddenProcesses").click();
    assert.deepEqual(await open(), ["hiddenProcesses"]);
    await summary("hiddenTypes").click();
    assert.deepEqual(await open(), ["hiddenTypes"]);
    const selected = await chosen(page);
    await page.keyboard.press("Escape");
    assert.deepEqual(await open(), []);
    assert.equal(await chosen(page), selected, "Escape closed the menu, and nothing else");
    await summary("hiddenTypes").click();
    await page.locator("#sentence").click();
    assert.deepEqual(await open(), []);
    await summary("hiddenTypes").click();
    await fitsTheScreen(page);
  },
  { viewport: PHONE, shot: "menu-phone" },
);

test("whoever has a column can be hidden, and messages to monitors have their own types", "chain", async page => {
  const { trace } = await dataOf(page);
  const names = locator => locator.allTextContents();
  const columns = await names(page.locator("#view-chart .head b"));
  const offered = await names(page.locator("#view-chart [data-filter=hiddenProcesses] label"));
  assert.deepEqual(
    columns.filter(name => !offered.includes(name)),
    [],
  );
  const idle = columns.find(name => trace.steps.every(step => trace.processes[step.process].name !== name));
  assert.ok(idle, "somebody only is sent to");
  await page.locator("#view-chart [data-filter=hiddenProcesses] summary").click();
  await page.locator("#view-chart [data-filter=hiddenProcesses] label", { hasText: idle }).click();
  assert.deepEqual(
    await names(page.locator("#view-chart .head b")),
    columns.filter(name => name !== idle),
  );
  const types = await names(page.locator("#view-chart [data-filter=hiddenTypes] label"));
  assert.ok(trace.steps.some(step => /^p[0-9.]+→/.test(step.message ?? "")) && types.includes("Locate"));
  assert.deepEqual(
    types.filter(type => !/^[A-Z]/.test(type)),
    [],
  );
});

test(
  "a wide chart can be read",
  "chain",
  async page => {
    const labels = await page.locator("#view-chart .label.message").allTextContents();
    assert.ok(labels.some(label => label.startsWith("Update")) && labels.some(label => label.startsWith("Chain")));
    assert.deepEqual(
      labels.filter(label => label.startsWith("Version") && label.endsWith("…")),
      [],
      "where there is no room, what differs comes first",
    );
    const number = page.locator("#view-chart .number").last();
    await page.$eval("#view-chart .scroller", scroller => scroller.scrollTo(0, scroller.scrollTop));
    const before = await number.boundingBox();
    await page.$eval("#view-chart .scroller", scroller => scroller.scrollTo(1e6, scroller.scrollTop));
    await page.waitForTimeout(100);
    assert.ok((await page.$eval("#view-chart .scroller", scroller => scroller.scrollLeft)) > 200, "the test says something");
    assert.ok(Math.abs((await number.boundingBox()).x - before.x) < 1, "numbers stay where they are");
    const solid = await page.$eval("#view-chart .heads", heads => getComputedStyle(heads).backgroundColor);
    assert.match(solid, /^rgb\(/, "nothing shines through the heads");
  },
  { shot: "wide" },
);

test("what goes wrong is told once, line by line", "chain", async page => {
  const { message } = (await dataOf(page)).trace.violation;
  assert.ok(message.split("\n").length === 3, "the test says something");
  assert.equal(await page.locator("#view-chart .complaint").innerText(), message);
  const headline = await page.locator("#sentence").innerText();
  assert.ok(headline.includes(message.split("\n")[0]) && !headline.includes("left: 1"));
  assert.equal((await page.locator("#view-chart .detail").innerText()).split("left: 1").length, 2);
});

test("light and dark", "raft-bug", async page => {
  const light = await background(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background(page);
  assert.notEqual(light, dark, "the system decides");
  await page.locator("#theme").click();
  assert.equal(await background(page), light, "until somebody says otherwise");
});

test("the dark page", "raft-bug", async page => arrowsMatch(page), { colorScheme: "dark", shot: "raft-bug-dark" });

test(
  "the execution graph has the edges of the execution",
  "two-phase-commit-bug",
  async page => {
    const { trace, story } = await dataOf(page);
    await page.locator("#tab-graph").click();
    assert.equal((await numbers(page, "#view-graph .node")).length, trace.steps.length);
    assert.deepEqual(
      new Set(await numbers(page, "#view-graph .edge.rf")),
      new Set([...trace.steps.keys()].filter(i => arrives(trace.steps[i]))),
    );
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.equal(await chosen(page), story.rows.flat()[1]);
    await page.locator("#tab-graph").focus();
    await page.keyboard.press("ArrowLeft");
    assert.ok(await page.locator("#view-chart").isVisible(), "arrow keys walk along the tabs");
    await page.locator("#tab-graph").click();
  },
  { shot: "graph" },
);

test("faults are drawn as what they are", "everything", async page => {
  const { trace } = await dataOf(page);
  assert.equal(await page.locator("#view-chart .event.partition").count(), 2);
  assert.equal(await page.locator("#view-chart .arrow.twice").count(), 2);
  assert.equal(await page.locator("#view-chart .life.down").count(), 1);
  assert.ok(await page.locator("#view-chart .loop").isVisible());
  assert.deepEqual(await page.locator("#view-chart .label.lose").allTextContents(), ["lost: Beat(4)"]);
  const [cross, head] = [page.locator("#view-chart .arrow.lost .cross").last(), page.locator(".head").nth(2)];
  const [end, receiver] = [await cross.boundingBox(), await head.boundingBox()];
  assert.ok(end.x > receiver.x && end.x < receiver.x + receiver.width, "what a program loses ends before its receiver");
  assert.equal(await page.locator("#view-chart .keys", { hasText: "lost" }).count(), 1);
  assert.deepEqual(
    await page.locator("#view-chart .head b").allInnerTexts(),
    trace.processes.slice(0, 3).map(process => process.name),
    "names are text, whatever is in them",
  );
  assert.equal(await page.locator(".head i").count(), 0);
});

test(
  "a history with its linearization",
  "everything",
  async page => {
    await page.locator("#tab-timeline").click();
    assert.equal(await page.locator("g.operation").count(), 5);
    assert.equal(await page.locator("g.operation.stuck").count(), 1);
    assert.equal(await page.locator("g.operation.pending").count(), 1);
    assert.deepEqual((await page.locator("g.point text").allTextContents()).map(Number), [1, 2, 3, 4]);
    assert.equal(await page.locator("g.fault").count(), 2);
    await page.keyboard.press("ArrowDown");
    assert.match(await page.locator("p.operation").innerText(), /left Put\(1\) → Done\. It took effect as number 1/);
    await page.locator("#minimal").click();
    assert.equal(await page.locator("g.operation").count(), 4);
    await page.locator("#core").click();
    assert.equal(await page.locator("g.operation").count(), 2);
    assert.equal(await page.getAttribute("#minimal", "aria-pressed"), "false");
    await page.locator("#core").click();
    assert.equal(await page.locator("g.operation").count(), 5);
  },
  { shot: "timeline" },
);

for (const file of ["open-chord", "open-chord-must"])
  test(
    `${file}: the impossible operation is marked, and the others are in order`,
    file,
    async page => {
      await page.locator("#tab-timeline").click();
      const { trace, timeline } = await dataOf(page);
      const { operations, stuck, linearization } = trace.history;
      assert.equal(await page.locator("g.operation").count(), operations.length);
      assert.equal(stuck.length, 1);
      const words = `${operations[stuck[0]].call} → ${operations[stuck[0]].response}`;
      assert.match(await page.getAttribute("g.operation.stuck", "aria-label"), /^reader\d: Get/);
      assert.ok((await page.getAttribute("g.operation.stuck", "aria-label")).endsWith(words));
      assert.equal(await page.locator("g.point").count(), linearization.length);
      assert.equal(timeline.points.length, linearization.length);
      await page.locator("g.operation.stuck").click();
      assert.match(await page.locator("p.operation").innerText(), /No order has room for it/);
    },
    { shot: `${file}-history` },
  );

for (const [size, viewport] of [
  ["desk", DESK],
  ["phone", PHONE],
])
  test(
    `a recorded history on a ${size}`,
    "stale",
    async page => {
      assert.equal(await page.locator(".badge").innerText(), "✗ not linearizable");
      assert.match(await page.locator("#sentence").innerText(), /json history of a register: 3 operations/);
      assert.equal(await page.getAttribute("g.operation.stuck", "aria-label"), "process 2: read → 0");
      assert.deepEqual(await page.locator("g.operation .label").allTextContents(), ["write 1", "read → 1", "read → 0"], "nothing is cut");
      assert.deepEqual((await page.locator("g.point text").allTextContents()).map(Number), [1, 2]);
      assert.equal(await page.locator("svg .lane-name").count(), 3);
      await page.locator("#core").click();
      assert.equal(await page.locator("g.operation").count(), 2);
      assert.equal(await page.locator("svg .lane-name").count(), 2);
      await page.locator("#core").click();
      await fitsTheScreen(page);
    },
    { viewport, shot: `linearize-${size}` },
  );

test(
  "what a nemesis did stands beside the operations",
  "lock",
  async page => {
    assert.deepEqual(await page.locator("g.fault text").allTextContents(), ["nemesis: start"]);
    const [fault, first, second] = await Promise.all(
      ["g.fault line", "g.operation[data-operation='0'] .bar", "g.operation[data-operation='1'] .bar"].map(found =>
        page.locator(found).boundingBox(),
      ),
    );
    assert.ok(first.x + first.width <= fault.x && fault.x <= second.x, "between the two that took the lock");
    await page.locator("#core").click();
    assert.equal(await page.locator("g.fault").count(), 1, "also beside a part of them");
  },
  { shot: "nemesis" },
);

test(
  "a long history is shown in part, and can be walked along",
  "long",
  async page => {
    assert.equal(await page.locator(".badge").innerText(), "✓ linearizable");
    assert.match(await page.locator("#sentence").innerText(), /Shown are 2000 of 100000: the first ones/);
    assert.equal(await page.locator("g.operation").count(), 2000);
    const started = Date.now();
    for (let n = 0; n < 50; n++) await page.keyboard.press("ArrowRight");
    assert.ok(Date.now() - started < 30_000, `50 keys took ${Date.now() - started} ms`);
    assert.match(await page.locator("p.operation").innerText(), /process 0 write 49 → 49\. It took effect as number 50/);
    const chosen = await page.locator("g.operation.chosen").boundingBox();
    assert.ok(chosen.x >= 100 && chosen.x < 1280, "what is selected can be seen");
    const name = await page.locator("svg .lane-name").first().boundingBox();
    assert.ok(name.x >= 0 && name.x < 120, "and so can the names");
  },
  { shot: "linearize-long" },
);

test(
  "a trace that records operations has a history",
  "abd-bug",
  async page => {
    await page.locator("#tab-timeline").click();
    const { trace } = await dataOf(page);
    assert.equal(
      await page.locator("g.operation").count(),
      trace.steps.filter(step => step.kind === "note" && step.message.startsWith("invoked ")).length,
    );
  },
  { shot: "abd-bug-history" },
);

for (const [file, verdict] of [
  ["verified", "verified"],
  ["verified-program", "verified"],
  ["verified-specification", "verified"],
  ["bounded", "incomplete"],
])
  test(
    `a run that is ${verdict} (${file})`,
    file,
    async page => {
      const { run } = await dataOf(page);
      assert.equal(run.verdict, verdict);
      assert.equal(await page.locator(".badge").innerText(), verdict === "verified" ? "✓ verified" : "? incomplete");
      assert.equal(await page.locator(".card").count(), run.figures.length);
      assert.equal(await page.locator("table.coverage tbody tr").count(), run.coverage.processes.length + run.coverage.actions.length);
      const never = await page.locator(".panel", { hasText: "Never exercised" }).last().innerText();
      assert.match(never, verdict === "verified" ? /Nothing: every (message type|action that was listed)/ : /an entry is committed: in no state so far/);
      const bounds = await page.locator(".panel", { hasText: "Bounds" }).first().innerText();
      assert.match(bounds, verdict === "verified" ? /no bound was reached/ : /depth 6[^]*not expanded/);
    },
    { shot: file },
  );

runAll().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
