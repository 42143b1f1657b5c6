/** Live progress: a region that carries `data-refresh` (seconds) is fetched anew for as long as it says so. */
export function keepFresh(enhance: (root: ParentNode) => void): void {
  const region = document.querySelector<HTMLElement>("[data-refresh]");
  if (region === null) return;
  const seconds = Number(region.dataset.refresh);
  if (!(seconds >= 1)) return;
  window.setTimeout(async () => {
    const isIdle = !region.contains(document.activeElement) && !document.hidden;
    if (isIdle) {
      try {
        const response = await fetch(location.href, { headers: { accept: "text/html" } });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const fresh = response.ok ? page.getElementById(region.id) : null;
        if (fresh !== null) {
          region.replaceWith(fresh);
          enhance(fresh);
        }
      } catch {
        // The next round tries again.
      }
    }
    keepFresh(enhance);
  }, seconds * 1000);
}
