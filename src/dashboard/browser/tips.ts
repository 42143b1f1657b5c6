/** Points of a plot say what they stand for as soon as they are pointed at or reached by keyboard. */
const MARGIN_PX = 12;

/** The words of a point; the browser would show its title as well, so that becomes its label. */
function wordsOf(point: HTMLElement | SVGElement): string {
  const title = point.querySelector(":scope > title");
  if (title !== null) {
    point.dataset.tip ||= title.textContent;
    point.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  return point.dataset.tip ?? "";
}

export function showTips(): void {
  if (document.querySelector("[data-tip]") === null) return;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  const show = (target: EventTarget | null) => {
    const point = target instanceof Element ? target.closest<HTMLElement | SVGElement>("[data-tip]") : null;
    tip.hidden = point === null;
    if (point === null) return;
    tip.textContent = wordsOf(point);
    const at = point.getBoundingClientRect();
    const left = Math.min(at.left + at.width / 2, innerWidth - tip.offsetWidth - MARGIN_PX);
    const above = at.top - tip.offsetHeight - MARGIN_PX;
    tip.style.left = `${Math.max(MARGIN_PX, left)}px`;
    tip.style.top = `${above > 0 ? above : at.bottom + MARGIN_PX}px`;
  };
  document.addEventListener("pointerover", (event) => show(event.target));
  document.addEventListener("focusin", (event) => show(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });
}
