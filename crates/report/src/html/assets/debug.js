// Values as Rust's `Debug` shows them: read as trees, and laid out on lines.

const CLOSING = { "{": "}", "[": "]", "(": ")" };

/** A value as a tree: a list of items, each a list of texts and groups. `null` if its brackets do not match. */
function parseDebug(text) {
  let at = 0;
  function items(close) {
    const list = [];
    let item = [];
    let plain = "";
    const flush = () => {
      if (plain) {
        item.push(plain);
        plain = "";
      }
    };
    while (at < text.length) {
      const c = text[at];
      if (c === '"') plain += quoted();
      else if (c in CLOSING) {
        flush();
        at += 1;
        const inside = items(CLOSING[c]);
        if (inside === null) return null;
        item.push({ open: c, items: inside, close: CLOSING[c] });
      } else if (c === close) {
        flush();
        if (item.length) list.push(item);
        at += 1;
        return list;
      } else if ("}])".includes(c)) return null;
      else if (c === "," && close) {
        flush();
        list.push(item);
        item = [];
        at += 1;
      } else {
        if (plain || item.length || c !== " ") plain += c;
        at += 1;
      }
    }
    flush();
    if (item.length) list.push(item);
    return close ? null : list;
  }
  function quoted() {
    const start = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at += 1;
    return text.slice(start, at);
  }
  return items(null);
}

/** No line of a value should be much longer. */
const LINE = 42;

/** The lines of a value. */
function debugLines(text) {
  const tree = parseDebug(text);
  if (tree === null || tree.length !== 1) return text.split("\n");
  return layOut(tree[0], "", "");
}

/** An item on one line. `Name { … }` has spaces inside, the braces of a set have none. */
function flat(item) {
  return item
    .map((part, i) => {
      if (typeof part === "string") return part;
      const inside = part.items.map(flat).join(", ");
      const name = i > 0 && typeof item[i - 1] === "string" ? item[i - 1] : "";
      const named = part.open === "{" && name.endsWith(" ") && !name.endsWith(": ");
      return part.open + (named && inside ? ` ${inside} ` : inside) + part.close;
    })
    .join("")
    .trim();
}

/** An item on as many lines as it needs: if one is not enough, its last group is opened. */
function layOut(item, indent, tail) {
  const whole = indent + flat(item) + tail;
  const opened = lastGroup(item);
  if (whole.length <= LINE || opened < 0) return [whole];
  const [first, last] = around(item, opened, indent, tail);
  return [first, ...item[opened].items.flatMap(inner => layOut(inner, indent + "  ", ",")), last];
}

/** The place of the last group that has something in it. */
function lastGroup(item) {
  return item.findLastIndex(part => typeof part !== "string" && part.items.length > 0);
}

/** The lines above and below what is inside of a group that is opened. */
function around(item, opened, indent, tail) {
  const gap = opened > 0 && String(item[opened - 1]).endsWith(" ") ? " " : "";
  const first = indent + flat([...item.slice(0, opened), ""]) + gap + item[opened].open;
  return [first, indent + item[opened].close + flat(item.slice(opened + 1)) + tail];
}

/** The fields of a struct by name; `null` for anything else. */
function fieldsOf(text) {
  const tree = parseDebug(text);
  const [name, group] = tree?.length === 1 ? tree[0] : [];
  if (tree === null || tree[0]?.length !== 2 || typeof name !== "string" || group.open !== "{") return null;
  const entries = group.items.map(item => flat(item).match(/^(\w+): ([^]*)$/));
  return entries.every(Boolean) ? { name, fields: new Map(entries.map(([, key, value]) => [key, value])) } : null;
}

/** What changed from one state to the next, in a few words. */
function changeInWords(before, after) {
  const brief = value => (value.length <= 14 ? value : (value.match(/^\w+/)?.[0] ?? value));
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  if (!old || !now || old.name !== now.name) return brief(after) === after ? after : `${brief(after)} …`;
  return [...now.fields]
    .filter(([key, value]) => old.fields.get(key) !== value)
    .map(([key, value]) => `${key}: ${brief(value)}`)
    .join(", ");
}

/** A value on its own. */
function showValue(text) {
  return html("pre", { class: "value" }, debugLines(text).join("\n"));
}
