// What an edge of a picture is: said below the picture where the pointer, or the focus, is at the edge.
import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const SMALLEST = 0.8;

/** Say in `said` what the edges of a picture are; `relations` have the definitions and sentences of the model. */
export function hovered(picture, said, relations) {
  const known = new Map(relations.map((each) => [each.name, each]));
  const show = (edges) => said.replaceChildren(...edges.map(([relation, title]) => edge(title, known.get(relation) ?? {})));
  const prepare = () => {
    // A picture that is a little wider than the page is made smaller, a wide one is scrolled.
    const svg = picture.querySelector("svg");
    svg.style.minWidth = `${SMALLEST * svg.getAttribute("width")}px`;
    const ways = [...picture.querySelectorAll("g.lines path[marker-end]")].filter((way) => way.querySelector("title"));
    const places = Map.groupBy(ways, (way) => way.getAttribute("d"));
    for (const [place, along] of places) {
      const edges = along.map((way) => [way.dataset.relation, way.querySelector("title").textContent]);
      along[0].ownerSVGElement.append(wide(place, edges, () => show(edges)));
      for (const way of along) way.querySelector("title").remove();
    }
  };
  prepare();
  // A picture that is drawn anew has other edges.
  new MutationObserver((changes) => {
    if (changes.some((change) => [...change.addedNodes].some((node) => node.localName === "svg"))) prepare();
  }).observe(picture, { childList: true });
}

/** Return a way that cannot be seen and is broad enough for a pointer. */
function wide(place, edges, chosen) {
  const way = document.createElementNS(SVG, "path");
  const attributes = { d: place, class: "reach", tabindex: "0", role: "img", "aria-label": edges.map(([, title]) => title).join("; ") };
  for (const [name, value] of Object.entries(attributes)) way.setAttribute(name, value);
  for (const event of ["pointerenter", "focus", "click"]) way.addEventListener(event, chosen);
  return way;
}

/** Return what is said of an edge: which it is, its definition, and the sentence of the specification. */
function edge(title, { text, says, reference }) {
  return h("div", {},
    h("p", {}, h("strong", {}, title)),
    text && h("pre", {}, h("code", {}, text)),
    says && h("p", {}, says, reference && h("span", { class: "aside" }, ` ${reference}`)));
}
