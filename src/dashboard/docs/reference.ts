/** What the documentation tells of every route, by job: made from the routes and their OpenAPI document. Pure. */
import * as z from "zod";
import { type ExampleValues, placeholdersOf, type RouteExample, samplesOf } from "../../http/example";
import { openApiDocument } from "../../http/openapi";
import type { Route } from "../../http/route";
import { curlOf, variableOf } from "./examples";
import { inTellingOrder, JOBS, type Job, jobOf } from "./jobs";
import { type FieldRow, fieldRows, limitsOf, shapeOf, typeOf } from "./schema";

/** A placeholder of an example and the route whose example yields it. */
export interface Need {
  name: string;
  variable: string;
  /** `POST /api/keys` and its anchor; absent where no example yields it. */
  from: { title: string; anchor: string } | undefined;
}

export interface DocRoute {
  anchor: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  scope: string;
  /** Where a body may be sent. */
  body: FieldRow[];
  /** Of the path and the query. */
  parameters: (FieldRow & { place: string })[];
  /** The shape of a success. */
  answer: string;
  /** Answers that this route names itself. */
  others: { status: string; description: string }[];
  example: { call: RouteExample; curl: string; needs: Need[] } | undefined;
}

export interface DocJob extends Job {
  routes: DocRoute[];
}

const schema = z.record(z.string(), z.unknown());
const operationSchema = z.looseObject({
  summary: z.string().default(""),
  description: z.string().default(""),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.string(),
        required: z.boolean().default(false),
        description: z.string().default(""),
        schema: schema.default({}),
      }),
    )
    .default([]),
  requestBody: z
    .looseObject({ content: z.looseObject({ "application/json": z.looseObject({ schema }) }) })
    .optional(),
  responses: z.record(
    z.string(),
    z.looseObject({
      description: z.string(),
      content: z.looseObject({ "application/json": z.looseObject({ schema }).optional() }).optional(),
    }),
  ),
});
type Operation = z.output<typeof operationSchema>;

const titleOf = ({ method, path }: Pick<Route, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

/** `post-api-keys-key_id`. */
export const anchorOf = ({ method, path }: Pick<Route, "method" | "path">): string =>
  `${method}${path.replaceAll(/[^a-z0-9_]+/gi, "-")}`.replace(/-$/, "");

const scopeOf = ({ scope }: Route): string => (typeof scope === "string" ? scope : "public");

/** The shape of a success; every success of a route has the same. */
function answerOf({ responses }: Operation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  return shapeOf(success?.content?.["application/json"]?.schema ?? {});
}

interface Context {
  samples: ExampleValues;
  /** Routes by the placeholder that their example yields. */
  sources: ReadonlyMap<string, Route>;
}

function exampleOf(route: Route, { samples, sources }: Context): DocRoute["example"] {
  const { example } = route;
  if (example === undefined) return undefined;
  const needs = placeholdersOf(example).map((name): Need => {
    const source = sources.get(name);
    const from = source === undefined ? undefined : { title: titleOf(source), anchor: anchorOf(source) };
    return { name, variable: variableOf(name), from };
  });
  return { call: example, curl: curlOf({ route, example }, samples), needs };
}

function docRoute(route: Route, operation: Operation, context: Context): DocRoute {
  const parameters = operation.parameters.filter((parameter) => parameter.in !== "header");
  return {
    anchor: anchorOf(route),
    method: route.method.toUpperCase(),
    path: route.path,
    summary: route.summary,
    description: route.description ?? "",
    scope: scopeOf(route),
    body: fieldRows(operation.requestBody?.content["application/json"].schema ?? {}),
    parameters: parameters.map((parameter) => ({
      place: parameter.in,
      name: parameter.name,
      type: typeOf(parameter.schema),
      isRequired: parameter.required,
      limits: limitsOf(parameter.schema),
      meaning: parameter.description,
    })),
    answer: answerOf(operation),
    others: Object.entries(route.otherAnswers ?? {}).map(([status, description]) => ({
      status,
      description,
    })),
    example: exampleOf(route, context),
  };
}

/** Where a route of no job is shown; a test keeps it empty. */
const OTHER: Job = { id: "other", title: "Other", intro: "" };

/** The API's routes by job, jobs without routes left out. */
export function referenceOf(routes: readonly Route[]): DocJob[] {
  const served = routes.filter(({ dialect }) => dialect !== "page");
  const { paths } = z
    .looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) })
    .parse(openApiDocument(routes));
  const context: Context = {
    samples: samplesOf(served.map(({ example }) => example)),
    sources: new Map(
      served.flatMap((route) =>
        Object.keys(route.example?.yields ?? {}).map((name) => [name, route] as const),
      ),
    ),
  };
  return [...JOBS, OTHER].flatMap((job): DocJob[] => {
    const own = inTellingOrder(served.filter((route) => (jobOf(route) ?? OTHER.id) === job.id));
    const documented = own.flatMap((route) => {
      const operation = paths[route.path]?.[route.method];
      return operation === undefined ? [] : [docRoute(route, operation, context)];
    });
    return documented.length === 0 ? [] : [{ ...job, routes: documented }];
  });
}
