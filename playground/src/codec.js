// Links: `#1` and deflated JSON in URL-safe base64, as axmem/playground/link.py describes. The text appears before the
// checker is loaded, so the page unpacks links itself; a test holds the two to the same links.

const FRAGMENT = /^#?1([A-Za-z0-9_-]+)$/;
const FIELDS = ["text", "models", "cat", "tab", "after", "target", "outcome", "under"];

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("the text is too long");
    }
    parts.push(value);
  }
}

/** Return the fragment that stands for a view; fields that are empty are left out. */
export async function fragment(view, defaults) {
  const kept = {};
  for (const name of FIELDS) {
    const value = view[name];
    if (value !== undefined && value !== "" && value !== defaults[name] && !(Array.isArray(value) && !value.length)) {
      kept[name] = value;
    }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  const packed = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return "#1" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Return the view that a fragment stands for; throw an Error for any other text. */
export async function viewOf(text, longest, tabs) {
  const match = FRAGMENT.exec(text.trim());
  if (!match) throw new Error("it is #1 and letters, digits, - and _");
  const binary = atob(match[1].replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const found = await through(bytes, new DecompressionStream("deflate-raw"), 4 * longest);
  const view = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(found));
  if (typeof view !== "object" || view === null || Array.isArray(view)) throw new Error("it has no fields");
  for (const [name, value] of Object.entries(view)) {
    if (!FIELDS.includes(name)) throw new Error(`no view has a field ${name.slice(0, 40)}`);
    const texts = name === "models" ? value : [value];
    if (!Array.isArray(texts) || !texts.every((each) => typeof each === "string" && each.length <= longest)) {
      throw new Error(`its field '${name}' is no text, or too long`);
    }
  }
  if (view.tab !== undefined && !tabs.includes(view.tab)) throw new Error("no tab has this name");
  return view;
}
