/** Examples of the API: in an order in which each can run, and as commands for a shell. Pure. */
import { type ExampleValues, exampleAddress, placeholdersOf, type RouteExample } from "../../http/example";
import type { Route } from "../../http/route";
import { JOBS, jobOf } from "./jobs";

export interface Example {
  route: Route;
  example: RouteExample;
}

/** Deletions come last: until then everything stands that other examples speak of. */
const rankOf = ({ route }: Example): [number, number] => [
  route.method === "delete" ? 1 : 0,
  JOBS.findIndex(({ id }) => id === jobOf(route)),
];

const before = (left: Example, right: Example): number => {
  const [[deletes, job], [otherDeletes, otherJob]] = [rankOf(left), rankOf(right)];
  return deletes - otherDeletes || job - otherJob;
};

/** What an example leaves behind: the values that it yields, and itself as a call that was made. */
const providedBy = ({ route, example }: Example): string[] => [
  `${route.method} ${route.path}`,
  ...Object.keys(example.yields ?? {}),
];

const neededBy = (example: RouteExample): string[] => [
  ...placeholdersOf(example),
  ...(example.after === undefined ? [] : [example.after]),
];

/**
 * Every route's example, so that what one needs was made by one before it, unless none makes it.
 * Otherwise by job, deletions last.
 */
export function runOrder(routes: readonly Route[]): Example[] {
  const left = routes
    .flatMap((route): Example[] => (route.example === undefined ? [] : [{ route, example: route.example }]))
    .sort(before);
  const provided = new Set(left.flatMap(providedBy));
  const known = new Set<string>();
  const ordered: Example[] = [];
  while (left.length > 0) {
    const ready = left.findIndex(({ example }) =>
      neededBy(example).every((need) => known.has(need) || !provided.has(need)),
    );
    // Examples that wait for each other are a fault of theirs; their order does not matter then.
    const [next] = left.splice(Math.max(0, ready), 1);
    if (next === undefined) break;
    ordered.push(next);
    for (const need of providedBy(next)) known.add(need);
  }
  return ordered;
}

/** The name of the shell's variable for a placeholder. */
export const variableOf = (name: string): string => name.toUpperCase();

const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `{{name}}` in single-quoted JSON ends the quotes for the variable and begins them again; numbers lose theirs. */
const withVariables = (quoted: string, samples: ExampleValues): string =>
  quoted
    .replaceAll(/"\{\{(\w+)\}\}"/g, (whole, name: string) =>
      typeof samples.get(name) === "number" ? `{{${name}}}` : whole,
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => `'"$${variableOf(name)}"'`);

/** Where the examples run, as the shell's variables say. */
export const SETUP = [
  "export PLAYMAKER=http://127.0.0.1:8787   # where this Playmaker answers",
  "export PLAYMAKER_KEY=                    # pm_…; on a laptop none is needed",
].join("\n");

/** The example as a command that runs in a shell as it stands. */
export function curlOf({ route, example }: Example, samples: ExampleValues): string {
  const { path, method, scope } = route;
  const address = exampleAddress(path, example, new Map()).replaceAll(
    /%7B%7B(\w+)%7D%7D|\{\{(\w+)\}\}/g,
    (_, encoded: string | undefined, plain: string | undefined) => `$${variableOf(encoded ?? plain ?? "")}`,
  );
  const key = scope === "admin-secret" ? "PLAYMAKER_ADMIN_SECRET" : "PLAYMAKER_KEY";
  const parts = [
    `curl -s${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$PLAYMAKER${address}"`,
    ...(scope === "public" ? [] : [`-H "Authorization: Bearer $${key}"`]),
    ...(example.body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${withVariables(inSingleQuotes(JSON.stringify(example.body, null, 2)), samples)}`,
        ]),
  ];
  return parts.join(" \\\n  ");
}
