/** S467, S468: what a playbook's maps run for each element, over the published playbooks that are known. */
import type { PlaybookDocument } from "../model";
import { LIMITS } from "../spec";
import type { Pass } from "./index";
import { asText, type DocumentView } from "./view";

/** A playbook, and what its maps run: ids or slugs, as they are written. */
interface Caller {
  id: string;
  slug: string | null;
  runs: readonly string[];
}

export const checkSubPlaybooks: Pass = (view, report, { others = [] }) => {
  const own = viewed(view);
  // What is published now takes the place of what was.
  const published = others.map(callerOf).filter(({ id }) => id !== own.id);
  const strangers = new Map<string, Caller>();
  const named = (name: string): Caller => {
    const known = [own, ...published].find((other) => isCalled(other, name)) ?? strangers.get(name);
    const found = known ?? { id: name, slug: null, runs: [] };
    if (!known) strangers.set(name, found);
    return found;
  };
  const calledBy = (caller: Caller): Caller[] => caller.runs.map(named);
  const callersOf = (called: Caller): Caller[] =>
    published.filter((other) => other.runs.some((name) => isCalled(called, name)));
  const above = longestChain(own, callersOf).reverse();

  for (const { kind, pointer, step } of view.steps) {
    const name = kind === "map" ? asText(step.itemPlaybook) : null;
    if (name === null || name === "") continue;
    const path = `${pointer}/itemPlaybook`;
    const target = named(name);
    const circle = pathTo(own, target, calledBy);
    if (circle) {
      const message = `The playbook would run itself: ${[own, ...circle].map(shownName).join(" > ")}.`;
      report("S467", path, message, {
        hint: "a playbook that does not run this one, itself or through others",
      });
      continue;
    }
    const chain = [...above, ...longestChain(target, calledBy)].map(shownName);
    const depth = chain.length - 1;
    if (depth > LIMITS.subPlaybookDepth)
      report("S468", path, `Playbooks would run in each other ${depth} deep or more: ${chain.join(" > ")}.`, {
        hint: `at most ${LIMITS.subPlaybookDepth} deep`,
      });
  }
};

const isCalled = (playbook: Caller, name: string): boolean =>
  name !== "" && (playbook.id === name || playbook.slug === name);

const shownName = ({ id, slug }: Caller): string => slug ?? id;

const viewed = ({ playbook, manifest, steps }: DocumentView): Caller => ({
  id: asText(playbook.playbookId) ?? "",
  slug: asText(manifest.slug),
  runs: steps.flatMap(({ kind, step }) => (kind === "map" ? (asText(step.itemPlaybook) ?? []) : [])),
});

const callerOf = ({ playbook }: PlaybookDocument): Caller => ({
  id: playbook.playbookId,
  slug: playbook.manifest.slug,
  runs: playbook.steps.flatMap((step) => (step.kind === "map" ? (step.itemPlaybook ?? []) : [])),
});

/** The shortest way from one playbook to another, both ends included; null when there is none. */
function pathTo(goal: Caller, from: Caller, next: (of: Caller) => Caller[]): Caller[] | null {
  const before = new Map<Caller, Caller | null>([[from, null]]);
  for (const at of before.keys()) {
    if (at !== goal) {
      for (const other of next(at)) if (!before.has(other)) before.set(other, at);
      continue;
    }
    const path: Caller[] = [];
    for (let step: Caller | null = at; step; step = before.get(step) ?? null) path.unshift(step);
    return path;
  }
  return null;
}

/** A longest chain from a playbook on, itself included; one that is too long is followed just so far that it shows. */
function longestChain(from: Caller, next: (of: Caller) => Caller[]): Caller[] {
  let chains = new Map<Caller, Caller[]>([[from, [from]]]);
  for (let depth = 0; depth <= LIMITS.subPlaybookDepth; depth++) {
    const longer = new Map<Caller, Caller[]>();
    for (const [last, chain] of chains)
      for (const other of next(last)) if (!longer.has(other)) longer.set(other, [...chain, other]);
    if (longer.size === 0) break;
    chains = longer;
  }
  return [...chains.values()][0] ?? [from];
}
