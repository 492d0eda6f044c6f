// What is wider than the page can be scrolled by keys.
addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("pre, .axmem-wide")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  }
});
