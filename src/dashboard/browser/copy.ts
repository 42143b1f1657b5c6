/** Buttons with `data-copies` put the text of the element they name on the clipboard, and say so. */
const SAID_MS = 2_000;

function select(element: HTMLElement): void {
  const selection = getSelection();
  selection?.removeAllRanges();
  const range = document.createRange();
  range.selectNodeContents(element);
  selection?.addRange(range);
}

async function copy(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset.copies ?? "");
  if (source === null) return;
  const label = button.dataset.label ?? button.textContent ?? "";
  button.dataset.label = label;
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    // Without a secure context there is no clipboard: the text is marked for the reader's own keys.
    select(source);
    button.textContent = "Marked: press Ctrl+C";
  }
  window.setTimeout(() => {
    button.textContent = label;
  }, SAID_MS);
}

export function offerCopies(): void {
  document.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copies]") : null;
    if (button !== null) void copy(button);
  });
}
