/** The OpenAPI 3.1 document, made from the routes on first use. */
import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import * as z from "zod";
import type { Route } from "./route";

const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  error: z.string(),
  errors: z.array(z.object({ pointer: z.string(), message: z.string(), expected: z.string() })).optional(),
});
const detailSchema = z.object({ detail: z.unknown() });

const json = (schema: z.ZodType) => ({ "application/json": { schema } });

/** The document as a JSON value. */
export function openApiDocument(routes: readonly Route[]): object {
  const registry = new OpenAPIRegistry();
  const bearer = registry.registerComponent("securitySchemes", "key", { type: "http", scheme: "bearer" });
  for (const route of routes) {
    // Pages are for people; the document is for programs.
    if (route.dialect === "page") continue;
    const fault = route.dialect === "own" ? problemSchema : detailSchema;
    registry.registerPath({
      method: route.method,
      path: route.path,
      tags: [route.tag],
      summary: route.summary,
      ...(route.description !== undefined && { description: route.description }),
      security: route.scope === "public" ? [] : [{ [bearer.name]: [] }],
      request: {
        ...(route.body !== undefined && { body: { required: true, content: json(route.body) } }),
        ...(route.query !== undefined && { query: route.query }),
        ...(route.params !== undefined && { params: route.params }),
      },
      responses: {
        200: { description: "Done.", content: json(route.response) },
        ...Object.fromEntries(
          Object.entries(route.otherAnswers ?? {}).map(([status, description]) => [
            status,
            { description, content: json(Number(status) < 300 ? route.response : fault) },
          ]),
        ),
        ...(route.scope !== "public" && {
          401: {
            description: "No key, or one that is unknown, revoked or expired.",
            content: json(problemSchema),
          },
          403: { description: "The key lacks the scope.", content: json(fault) },
          429: { description: "Too many requests.", content: json(problemSchema) },
        }),
        ...(route.body !== undefined && {
          413: { description: "The body is too large.", content: json(problemSchema) },
          422: {
            description: "The input breaks a rule; each fault is named by JSON pointer.",
            content: json(fault),
          },
        }),
      },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Playmaker",
      version: "1.0.0",
      description:
        "Playbooks for AI agents: learned from conversations, approved by people, served into prompts.",
    },
    servers: [{ url: "/" }],
  });
}
