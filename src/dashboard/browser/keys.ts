/**
 * The keyboard. Items of a list carry `data-item`; what a key does stands on the element itself as
 * `data-key`: within the item that is current, else anywhere on the page.
 */
const PLACE = "playmaker:place";

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-item]")];
const current = (): HTMLElement | null => document.querySelector<HTMLElement>("[data-item].here");

function moveTo(item: HTMLElement | undefined): void {
  if (item === undefined) return;
  for (const other of items()) other.classList.toggle("here", other === item);
  item.tabIndex = -1;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function step(by: 1 | -1): void {
  const all = items();
  const here = current();
  const next = here === null ? 0 : all.indexOf(here) + by;
  moveTo(all[Math.min(all.length - 1, Math.max(0, next))]);
}

/** Opens a disclosure, focuses a field, presses what can be pressed. */
function perform(element: HTMLElement): void {
  const disclosure =
    element instanceof HTMLDetailsElement ? element : element.closest("summary")?.parentElement;
  if (disclosure instanceof HTMLDetailsElement) {
    disclosure.open = !disclosure.open;
    const field = disclosure.querySelector<HTMLElement>("textarea, input:not([type='hidden']), select");
    (disclosure.open && field !== null ? field : disclosure.querySelector("summary"))?.focus();
  } else if (element instanceof HTMLDialogElement) {
    if (element.open) element.close();
    else element.showModal();
  } else if (element.matches("input:not([type='checkbox']), textarea, select")) {
    element.focus();
    if (element instanceof HTMLInputElement) element.select();
  } else {
    element.click();
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("input:not([type='checkbox']), textarea, select, [contenteditable]")
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
  if (dialog !== null && event.key !== "?") return;
  if (event.key === "j" || event.key === "k") {
    step(event.key === "j" ? 1 : -1);
    return;
  }
  if (!/^[a-z/?]$/.test(event.key)) return;
  const selector = `[data-key="${event.key}"]`;
  const within = current()?.querySelector<HTMLElement>(selector);
  const element = within ?? document.querySelector<HTMLElement>(`:not([data-item] *)${selector}`);
  if (element === null) return;
  event.preventDefault();
  perform(element);
}

/** After a decision the page comes back without the item that was decided: the next one takes its place. */
function keepPlace(): void {
  document.addEventListener("submit", (event) => {
    const item =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-item]") : null;
    if (item !== null) sessionStorage.setItem(PLACE, `${location.pathname} ${items().indexOf(item)}`);
  });
  const [path, place] = (sessionStorage.getItem(PLACE) ?? "").split(" ");
  sessionStorage.removeItem(PLACE);
  const all = items();
  if (path === location.pathname && place !== undefined) {
    moveTo(all[Math.min(all.length - 1, Number(place))]);
  }
}

export function followKeys(): void {
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusin", (event) => {
    const item =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-item]") : null;
    if (item !== null) for (const other of items()) other.classList.toggle("here", other === item);
  });
  for (const closer of document.querySelectorAll<HTMLElement>("[data-closes]")) {
    closer.addEventListener("click", () => closer.closest("dialog")?.close());
  }
  for (const opener of document.querySelectorAll<HTMLElement>("[data-opens]")) {
    opener.addEventListener("click", () => {
      const dialog = document.getElementById(opener.dataset.opens ?? "");
      if (dialog instanceof HTMLDialogElement) dialog.showModal();
    });
  }
  keepPlace();
}
