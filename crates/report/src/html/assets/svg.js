// Helpers: elements of HTML and SVG, and text that is truncated to a width.

/** An HTML element: attributes, then children (nodes or strings). */
function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

const pen = document.createElement("canvas").getContext("2d");
const SANS = "12.5px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const BOLD = `600 ${SANS}`;
const SMALL = "11px ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/** The width of a text in pixels. */
function widthOf(text, font = SANS) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** The text, truncated to a width in pixels. */
function fit(text, available, font = SANS) {
  if (widthOf(text, font) <= available) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(text.slice(0, middle) + "…", font) <= available) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : text.slice(0, low).trimEnd() + "…";
}

/** A message within a width in pixels: the whole text, the text without field names, or the truncated short form. */
function fitMessage(text, short, available, font = SANS) {
  const nameless = text => text.replace(/([{,] )[a-z_]\w*: /g, "$1");
  const whole = [text, nameless(text)].find(text => widthOf(text, font) <= available);
  return whole ?? fit(nameless(short), available, font);
}

/** `1 step`, `2 steps`. */
function count(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
