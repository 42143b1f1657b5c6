/** Dependency triggers among all published playbooks: on itself, in a circle, on nobody (T331 to T333). */
import type { PlaybookDocument } from "../model";
import type { Pass } from "./index";
import { asText } from "./view";
import { shown } from "./words";

/** A playbook and the names that it waits for: ids or slugs. */
interface Node {
  id: string;
  slug: string | null;
  waitsFor: string[];
}

export const checkDependencies: Pass = ({ playbook, manifest, triggers }, report, { others }) => {
  const own: Node = { id: asText(playbook.playbookId) ?? "", slug: asText(manifest.slug), waitsFor: [] };
  const published = (others ?? []).map(nodeOf).filter(({ id }) => id !== own.id);
  for (const { kind, trigger, pointer } of triggers) {
    const target = kind === "dependency" ? asText(trigger.playbookId) : null;
    if (target === null || target === "") continue;
    const path = `${pointer}/playbookId`;
    if (isCalled(own, target)) {
      report("T331", path, "The playbook waits for itself.", { hint: "another playbook" });
      continue;
    }
    if (!others) continue;
    const upstream = published.find((node) => isCalled(node, target));
    if (!upstream) {
      report("T333", path, `No published playbook is called ${shown(target)}.`, {
        hint: "its id or its slug",
      });
      continue;
    }
    const circle = pathBack(upstream, own, published);
    if (circle) {
      const names = [own, ...circle, own].map((node) => node.slug ?? node.id);
      report("T332", path, `Playbooks wait for each other: ${names.join(" > ")}.`, { hint: "no circle" });
    }
  }
};

const isCalled = (node: Node, name: string): boolean =>
  name !== "" && (node.id === name || node.slug === name);

const nodeOf = ({ playbook }: PlaybookDocument): Node => ({
  id: playbook.playbookId,
  slug: playbook.manifest.slug,
  waitsFor: playbook.triggers.flatMap((trigger) =>
    trigger.kind === "dependency" ? [trigger.playbookId] : [],
  ),
});

/** The playbooks from one on to whichever waits for `own`; null when none does. Each is looked at once. */
function pathBack(from: Node, own: Node, published: readonly Node[]): Node[] | null {
  const before = new Map<Node, Node | null>([[from, null]]);
  const queue = [from];
  for (const node of queue) {
    if (node.waitsFor.some((name) => isCalled(own, name))) return pathTo(node, before);
    for (const name of node.waitsFor) {
      const upstream = published.find((other) => isCalled(other, name));
      if (!upstream || before.has(upstream)) continue;
      before.set(upstream, node);
      queue.push(upstream);
    }
  }
  return null;
}

function pathTo(last: Node, before: ReadonlyMap<Node, Node | null>): Node[] {
  const path: Node[] = [];
  for (let node: Node | null = last; node; node = before.get(node) ?? null) path.unshift(node);
  return path;
}
