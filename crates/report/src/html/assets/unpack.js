// Long data are packed: pieces of text, and pairs (start, length) that refer to text that was unpacked before. See `pack.rs`.

/** The data of the page. */
function unpack(data) {
  if (!data.packed) return data;
  const units = new Uint16Array(data.units);
  let at = 0;
  for (const piece of data.packed)
    if (typeof piece === "string") for (let i = 0; i < piece.length; i++) units[at++] = piece.charCodeAt(i);
    // A piece may overlap with its own copy, so the units are copied one by one.
    else for (let i = 0; i < piece[1]; i++) units[at++] = units[piece[0] + i];
  return JSON.parse(new TextDecoder("utf-16le").decode(units));
}

