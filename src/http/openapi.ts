/** The OpenAPI 3.1 document, made from the routes on first use. */
import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import * as z from "zod";
import { filled, samplesOf } from "./example";
import { completeDocument, type OpenApiDocument } from "./openapi-notes";
import { faultAnswer, problemAnswer } from "./openapi-schemas";
import type { Route } from "./route";

const json = (schema: z.ZodType, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

const idempotencyKey = z.object({
  "idempotency-key": z
    .string()
    .max(255)
    .optional()
    .meta({ description: "The same key and request get the first answer again, for a day." }),
});

/** `post /api/keys/{key_id}` is `postApiKeysKeyId`. */
const operationIdOf = ({ method, path }: Route): string =>
  method + (path.match(/[a-z0-9]+/gi) ?? []).map((word) => word[0]?.toUpperCase() + word.slice(1)).join("");

const scopeNote = ({ scope }: Route): string => {
  if (scope === "admin-secret") return "The bearer token is the deployment's admin secret.";
  return typeof scope === "string" && scope !== "public" ? `Needs the scope \`${scope}\`.` : "";
};

/** Answers of the gates before the handler. */
function gateAnswers(route: Route) {
  const takesInput = [route.body, route.query, route.params].some((schema) => schema !== undefined);
  const isKeyed = route.method === "post" && route.scope !== "public";
  return {
    ...(route.scope !== "public" && {
      401: problemAnswer("No key, or one that is unknown, revoked or expired."),
    }),
    ...(route.scope !== "public" &&
      route.scope !== "admin-secret" && { 403: faultAnswer(route.dialect, "The key lacks the scope.") }),
    ...(isKeyed && {
      409: faultAnswer(route.dialect, "Another change was faster, or a request with this key still runs."),
    }),
    ...(route.body !== undefined && { 413: problemAnswer("The body is too large.") }),
    ...((takesInput || isKeyed) && {
      422: faultAnswer(route.dialect, "The input breaks a rule; each fault is named by JSON pointer."),
    }),
    ...(route.limit !== "none" &&
      route.scope !== "public" && { 429: problemAnswer("Too many requests of this kind for this key.") }),
  };
}

/** Answers that the route itself names. */
function handlerAnswers(route: Route) {
  const named = Object.entries(route.otherAnswers ?? {}).map(([status, description]) => [
    status,
    Number(status) < 300
      ? { description, content: json(route.response) }
      : faultAnswer(route.dialect, description),
  ]);
  return Object.fromEntries(named);
}

/** Documents by the list of routes that they are made from: making one takes a tenth of a second. */
const made = new WeakMap<readonly Route[], OpenApiDocument>();

/** The document as a JSON value. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const known = made.get(routes);
  if (known !== undefined) return known;
  const document = documentOf(routes);
  made.set(routes, document);
  return document;
}

function documentOf(routes: readonly Route[]): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  const bearer = registry.registerComponent("securitySchemes", "key", { type: "http", scheme: "bearer" });
  // Pages are for people; the document is for programs.
  const documented = routes.filter(({ dialect }) => dialect !== "page");
  const samples = samplesOf(documented.map(({ example }) => example));
  for (const route of documented) {
    const description = [route.description, scopeNote(route)].filter(Boolean).join(" ");
    registry.registerPath({
      method: route.method,
      path: route.path,
      operationId: operationIdOf(route),
      tags: [route.tag],
      summary: route.summary,
      ...(description !== "" && { description }),
      security: route.scope === "public" ? [] : [{ [bearer.name]: [] }],
      request: {
        ...(route.body !== undefined && {
          body: { required: true, content: json(route.body, filled(route.example?.body, samples)) },
        }),
        ...(route.query !== undefined && { query: route.query }),
        ...(route.params !== undefined && { params: route.params }),
        ...(route.method === "post" && route.scope !== "public" && { headers: idempotencyKey }),
      },
      responses: {
        200: { description: "Done.", content: json(route.response) },
        ...gateAnswers(route),
        ...handlerAnswers(route),
      },
    });
  }
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Playmaker",
      version: "1.0.0",
      description:
        "Playbooks for AI agents: learned from conversations, approved by people, served into prompts.",
    },
    servers: [{ url: "/" }],
  });
  return completeDocument(document, documented, samples);
}
