/** A field that leaves of all elements with `data-find` only those that hold every word typed into it. */
export function narrowByWords(): void {
  const field = document.querySelector<HTMLInputElement>("[data-finds]");
  if (field === null) return;
  const items = [...document.querySelectorAll<HTMLElement>("[data-find]")];
  const groups = [...document.querySelectorAll<HTMLElement>("[data-group]")];
  const said = document.querySelector<HTMLElement>("[data-found]");

  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) item.hidden = !words.every((word) => item.dataset.find?.includes(word));
    for (const group of groups) group.hidden = group.querySelector("[data-find]:not([hidden])") === null;
    const shown = items.filter((item) => item.matches("article") && !item.hidden).length;
    if (said !== null) said.textContent = words.length === 0 ? "" : `${shown} found`;
  };
  field.addEventListener("input", narrow);
  // The address names a route: it must not stay hidden.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target === null || target.closest("[hidden]") === null) return;
    field.value = "";
    narrow();
    target.scrollIntoView();
  });
  narrow();
}
