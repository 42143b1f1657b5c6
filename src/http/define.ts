/** Turns a route with its own types into one the app can hold in a list. */
import type * as z from "zod";
import type { Route, RouteDefinition } from "./route";
import { type Place, parseOrFail } from "./validation";

/** Schemas are applied here, once, so that a handler only ever sees parsed input. */
export function defineRoute<
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Params extends z.ZodObject | undefined = undefined,
>(definition: RouteDefinition<Body, Query, Params>): Route {
  const parse = (schema: z.ZodType | undefined, value: unknown, place: Place): unknown =>
    schema === undefined ? undefined : parseOrFail(schema, value, place);
  return {
    ...definition,
    validate: (raw) => ({
      body: parse(definition.body, raw.body, "body"),
      query: parse(definition.query, raw.query, "query"),
      params: parse(definition.params, raw.params, "path"),
    }),
    handler: (scope, input) =>
      // The app passes what `validate` returned, whose types are this definition's.
      definition.handler(scope, input as Parameters<typeof definition.handler>[1]),
  };
}
