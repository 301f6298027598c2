// What the tests of reports have in common: how they are run, and questions to a page.
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { chromium } = require("playwright-core");

const out = process.argv[2];
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const tests = [];
const test = (name, file, run, options = {}) => tests.push({ name, file, run, options });

/** A tree of the data as text, worked out again. */
function textOf(tree) {
  if (typeof tree === "string") return tree;
  const list = trees => trees.map(textOf).join(", ");
  if (Array.isArray(tree)) return `[${list(tree)}]`;
  if (tree.set) return `{${list(tree.set)}}`;
  if (tree.map) return `{${tree.map.map(([key, value]) => `${textOf(key)}: ${textOf(value)}`).join(", ")}}`;
  if (tree.tuple) return `${tree.tuple[0]}(${list(tree.tuple[1])}${tree.tuple[0] || tree.tuple[1].length !== 1 ? "" : ","})`;
  const [name, fields] = tree.struct;
  return `${name} { ${fields.map(([key, value]) => `${key ? `${key}: ` : ""}${textOf(value)}`).join(", ")} }`;
}

const noteText = note => (note.text === undefined ? `${Object.keys(note)[0]} ${textOf(Object.values(note)[0].value)}` : note.text);

function messageText(message) {
  if (message.notes) return message.notes.map(noteText).join("; ");
  if (message.observed) return `p${message.observed.from}→p${message.observed.to} ${textOf(message.observed.value)}`;
  return textOf(message.value);
}

/** A step with texts for its message and its state, and what it reads. */
function plain(step, messages) {
  const [kind, of] = typeof step.kind === "string" ? [step.kind, {}] : Object.entries(step.kind)[0];
  const message = kind === "note" ? noteText(of) : of.message === undefined ? undefined : messageText(messages[of.message]);
  return { ...step, kind, message, reads: of.send, lost: of.lost, state: step.state === undefined ? undefined : textOf(step.state) };
}

/** What the page was made of, with the steps of its trace as texts. */
async function dataOf(page) {
  const data = await rawDataOf(page);
  if (data.trace) data.trace.steps = data.trace.steps.map(step => plain(step, data.trace.messages ?? []));
  for (const operation of data.trace?.history?.operations ?? []) {
    operation.call = textOf(operation.call.value);
    if (operation.response) operation.response = textOf(operation.response.value);
  }
  return data;
}

async function rawDataOf(page) {
  const data = JSON.parse(await page.$eval("#data", element => element.textContent));
  if (!data.packed) return data;
  const units = [];
  for (const piece of data.packed)
    if (typeof piece === "string") units.push(...piece.split(""));
    else for (let n = 0; n < piece[1]; n++) units.push(units[piece[0] + n]);
  return JSON.parse(units.join(""));
}

/** The causal past of a step, worked out again from the trace alone. */
function pastOf(trace, step) {
  const past = new Set();
  const visit = i => {
    const own = trace.steps.findLastIndex((other, j) => j < i && other.process === trace.steps[i].process);
    for (const cause of [...(trace.steps[i].parents ?? []), trace.steps[i].reads ?? -1, own])
      if (cause >= 0 && !past.has(cause)) {
        past.add(cause);
        visit(cause);
      }
  };
  visit(step);
  return past;
}

const arrives = step => ["receive", "duplicate"].includes(step.kind) && step.reads !== undefined;
const numbers = (page, selector) => page.$$eval(selector, found => found.map(element => Number(element.dataset.step)));
const chosen = async page => (await numbers(page, ".view:not([hidden]) .event.chosen"))[0] ?? null;
/** A value without the spaces and commas that laying it out adds. */
const bare = text => text.replace(/\s+/g, "").replace(/,([\]})])/g, "$1");
const background = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** There is nothing to scroll to but what scrolls by itself. */
async function fitsTheScreen(page) {
  const [wide, high] = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return [scrollWidth - innerWidth, scrollHeight - innerHeight];
  });
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
  assert.ok(high <= 0, `the page is ${high} pixels too high`);
}

/** Whether something begins on the screen. */
async function reachable(locator, viewport) {
  const box = await locator.boundingBox();
  return box !== null && box.x >= 0 && box.y >= 0 && box.x < viewport.width - 20 && box.y + box.height <= viewport.height;
}

/** Whether something can be seen in the chart, below its heads and beside its numbers. */
async function withinChart(page, locator) {
  const [box, chart, heads] = await Promise.all(
    [locator, page.locator("#view-chart .scroller"), page.locator("#view-chart .heads")].map(found => found.boundingBox()),
  );
  const beside = box.x >= chart.x + 52 && box.x + box.width <= chart.x + chart.width;
  return beside && box.y >= heads.y + heads.height && box.y + box.height <= chart.y + chart.height;
}

/** Every message has an arrow that can be seen, of the kind of its fate. */
async function arrowsMatch(page) {
  const { trace } = await dataOf(page);
  const received = trace.steps.flatMap((step, i) => (arrives(step) ? [i] : []));
  assert.deepEqual(
    (await numbers(page, "#view-chart .arrow.received")).sort((a, b) => a - b),
    received,
  );
  const boxes = await page.$$eval("#view-chart .arrow.received .shaft", found =>
    found.map(shaft => {
      const box = shaft.getBoundingClientRect();
      return Math.max(box.width, box.height);
    }),
  );
  assert.ok(
    boxes.every(size => size > 20),
    `arrows are drawn at full length: ${boxes}`,
  );
  const fates = new Map();
  trace.steps.forEach(step => {
    if (step.reads !== undefined) fates.set(step.reads, step.kind);
  });
  const pending = trace.steps.flatMap((step, i) => (step.kind === "send" && !fates.has(i) ? [i] : []));
  assert.deepEqual(
    (await numbers(page, "#view-chart .arrow.pending")).sort((a, b) => a - b),
    pending,
  );
  const lost = trace.steps.filter(step => step.kind === "drop" || (step.kind === "lose" && step.lost));
  assert.equal((await numbers(page, "#view-chart .arrow.lost")).length, lost.length);
  const kept = trace.steps.filter(step => step.kind === "lose" && !step.lost);
  assert.equal((await numbers(page, "#view-chart .event")).length, trace.steps.length - kept.length, "every step that is one is on the chart");
}

/** Runs the tests, each in a page of its own. */
async function runAll() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  let failed = 0;
  const wanted = tests.filter(({ name }) => name.includes(process.argv[3] ?? ""));
  for (const { name, file, run, options } of wanted) {
    const context = await browser.newContext({
      viewport: options.viewport ?? DESK,
      colorScheme: options.colorScheme ?? "light",
      offline: true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints = [];
    page.on("console", message => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", error => complaints.push(error.stack));
    page.on("request", request => {
      if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    try {
      await page.goto(`file://${path.join(out, `${file}.html`)}`);
      await run(page);
      assert.deepEqual(complaints, [], "the console is quiet");
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}\n${complaints.join("\n")}`);
    }
    if (options.shot) await page.screenshot({ path: path.join(out, `${options.shot}.png`) });
    await context.close();
  }
  await browser.close();
  console.log(`${wanted.length - failed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

module.exports = { DESK, PHONE, arrives, arrowsMatch, background, bare, chosen, dataOf, fitsTheScreen, numbers, out, pastOf, reachable, runAll, test, withinChart };
