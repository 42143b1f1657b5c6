/** How many boxes are ticked, said where the list's bar is; the bar's own box ticks or clears them all. */
export function countSelection(root: ParentNode): void {
  const bar = root.querySelector<HTMLElement>("[data-selection]");
  const said = bar?.querySelector<HTMLElement>("[data-selected]");
  if (bar === null || said == null) return;
  const boxes = (): HTMLInputElement[] => [
    ...document.querySelectorAll<HTMLInputElement>(
      `input[type="checkbox"][data-selects="${bar.dataset.selection}"]`,
    ),
  ];
  const all = bar.querySelector<HTMLInputElement>("[data-select-all]");
  const count = () => {
    const ticked = boxes().filter((box) => box.checked).length;
    said.toggleAttribute("data-some", ticked > 0);
    said.textContent = ticked === 0 ? "None selected" : `${ticked} selected`;
    if (all !== null) {
      all.checked = ticked > 0 && ticked === boxes().length;
      all.indeterminate = ticked > 0 && !all.checked;
    }
  };
  all?.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    count();
  });
  document.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.dataset.selects !== undefined) count();
  });
  count();
}
