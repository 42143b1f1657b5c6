/** Accessibility as axe-core measures it, WCAG 2.2 A and AA. */
import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** One line per violation, with the first element it concerns. */
export async function violations(page: Page): Promise<string[]> {
  // The page's policy lets no script in; the debugger's own evaluation is not subject to it.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async (tags) => {
    const runner: typeof axe = Reflect.get(globalThis, "axe");
    const { violations: all } = await runner.run({ runOnly: tags, resultTypes: ["violations"] });
    return all.map(({ id, help, nodes }) => ({
      id,
      help,
      html: nodes[0]?.html ?? "",
      summary: nodes[0]?.failureSummary ?? "",
    }));
  }, TAGS);
  return found.map(
    ({ id, help, html, summary }) => `${id}: ${help}: ${html.slice(0, 200)} ${summary.slice(0, 200)}`,
  );
}
