// Values as Rust's `Debug` shows them: laid out on lines, and compared.

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

/** The lines of a value, none much longer than `width`. */
function debugLines(text, width = 42) {
  const tree = parseDebug(text);
  if (tree === null || tree.length !== 1) return text.split("\n");
  return layOut(tree[0], "", "", width);
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
function layOut(item, indent, tail, width) {
  const whole = indent + flat(item) + tail;
  const opened = item.findLastIndex(part => typeof part !== "string" && part.items.length > 0);
  if (whole.length <= width || opened < 0) return [whole];
  const group = item[opened];
  const first = indent + flat([...item.slice(0, opened), ""]);
  const gap = opened > 0 && String(item[opened - 1]).endsWith(" ") ? " " : "";
  return [
    first + gap + group.open,
    ...group.items.flatMap(inner => layOut(inner, indent + "  ", ",", width)),
    indent + group.close + flat(item.slice(opened + 1)) + tail,
  ];
}

/** A longest common subsequence of two lists, as a list of `[kind, text]` with the kinds " ", "-" and "+". */
function diff(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const changes = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      changes.push([" ", before[i]]);
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) changes.push(["-", before[i++]]);
    else changes.push(["+", after[j++]]);
  }
  return changes;
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

/** Two values, and what is different. */
function showDiff(before, after) {
  const changes = diff(debugLines(before), debugLines(after));
  const pre = html("pre", { class: "value diff" });
  for (let at = 0; at < changes.length;) {
    const from = at;
    const block = { "-": [], "+": [] };
    while (at < changes.length && changes[at][0] !== " ") {
      block[changes[at][0]].push(changes[at][1]);
      at++;
    }
    const paired = block["-"].length === block["+"].length;
    block["-"].forEach((line, n) => pre.append(diffLine("-", line, paired ? block["+"][n] : null)));
    block["+"].forEach((line, n) => pre.append(diffLine("+", line, paired ? block["-"][n] : null)));
    if (from === at) pre.append(diffLine(" ", changes[at++][1], null));
  }
  return pre;
}

function diffLine(sign, line, other) {
  const kind = { " ": "same", "-": "gone", "+": "new" }[sign];
  const row = html("span", { class: `line ${kind}` }, html("span", { class: "sign", "aria-hidden": "true" }, sign));
  if (sign !== " ") row.append(html("span", { class: "unseen" }, sign === "-" ? "before: " : "after: "));
  const words = text => text.split(/(\w+|\W)/).filter(Boolean);
  if (other === null) row.append(line);
  else {
    const [before, after] = sign === "-" ? [line, other] : [other, line];
    for (const [kind, text] of diff(words(before), words(after)))
      if (kind === " ") row.append(text);
      else if (kind === sign) row.append(html("mark", {}, text));
  }
  row.append("\n");
  return row;
}
