// Elements, made without markup: every text is a text node. HTML and SVG come from the checker's printers alone.

/** Return an element with attributes, listeners (`onclick`) and children; what is null or false is left out. */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const $ = (id) => document.getElementById(id);

const REFUSED = "script,iframe,object,embed,link,meta,base,form,foreignObject";

/** Return an element with HTML or SVG that a printer of the checker made; what could run is taken out all the same. */
export function printed(text, className) {
  const parsed = new DOMParser().parseFromString(text, "text/html");
  for (const each of parsed.querySelectorAll(REFUSED)) each.remove();
  for (const each of parsed.querySelectorAll("*")) {
    for (const { name, value } of [...each.attributes]) {
      if (name.startsWith("on") || /^\s*(javascript|data):/i.test(value)) each.removeAttribute(name);
    }
  }
  for (const each of parsed.querySelectorAll("svg")) each.setAttribute("aria-label", "Picture of the execution");
  for (const each of parsed.querySelectorAll("pre, .axmem-wide")) each.setAttribute("tabindex", "0");
  return h("div", { class: className }, ...[...parsed.body.childNodes]);
}
