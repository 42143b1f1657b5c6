/** The OpenAPI document: whole, and in agreement with the routes that are served. */
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { routes } from "../../../src/routes";

const parameter = z.looseObject({
  name: z.string(),
  in: z.enum(["query", "path", "header"]),
  required: z.boolean().optional(),
  schema: z.looseObject({ type: z.union([z.string(), z.array(z.string())]).optional() }),
});
const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string().min(1)).min(1),
  security: z.array(z.unknown()),
  parameters: z.array(parameter).default([]),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
});
const documentSchema = z.looseObject({
  openapi: z.literal("3.1.0"),
  paths: z.record(
    z.string(),
    z.record(z.enum(["get", "post", "put", "patch", "delete"]), operation.optional()),
  ),
});

let text = "";
let document: z.output<typeof documentSchema>;
let operations: { name: string; path: string; of: z.output<typeof operation> }[] = [];

beforeAll(async () => {
  text = await (await exports.default.fetch("http://localhost/openapi.json")).text();
  document = documentSchema.parse(JSON.parse(text));
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, of]) =>
      of === undefined ? [] : [{ name: `${method} ${path}`, path, of }],
    ),
  );
});

describe("the document", () => {
  it("has every route of programs, and no page", () => {
    const served = routes.filter(({ dialect }) => dialect !== "page");
    expect(operations.map(({ name }) => name).sort()).toEqual(
      served.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(text).not.toContain("/desk/");
  });

  it("names each operation once", () => {
    expect(new Set(operations.map(({ of }) => of.operationId)).size).toBe(operations.length);
  });

  it("has exactly the parameters of each path, all required and none null", () => {
    for (const { name, path, of } of operations) {
      const inPath = of.parameters.filter((each) => each.in === "path");
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameterName]) => parameterName);
      expect(inPath.map((each) => each.name).sort(), name).toEqual(named.sort());
      expect(
        inPath.every((each) => each.required === true),
        name,
      ).toBe(true);
      const types = of.parameters.flatMap((each) => each.schema.type ?? []);
      expect(types, name).not.toContain("null");
    }
  });

  it("says what a fault of each dialect looks like", () => {
    for (const route of routes.filter(({ dialect, body }) => dialect !== "page" && body !== undefined)) {
      const answers = document.paths[route.path]?.[route.method]?.responses;
      const key = route.dialect === "reflexio" ? '"loc"' : '"expected"';
      expect(JSON.stringify(answers?.["422"]), route.path).toContain(key);
      expect(JSON.stringify(answers?.["413"]), route.path).toContain("application/problem+json");
    }
  });

  it("refers to nothing that it does not hold", () => {
    const whole: unknown = JSON.parse(text);
    for (const [, pointer] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const found = (pointer ?? "")
        .split("/")
        .slice(1)
        .reduce<unknown>((at, key) => z.record(z.string(), z.unknown()).parse(at)[key], whole);
      expect(found, pointer).toBeDefined();
    }
  });

  it("asks for a key wherever one is needed", () => {
    for (const { scope, dialect, path, method } of routes) {
      if (dialect === "page") continue;
      const security = document.paths[path]?.[method]?.security;
      expect(security, path).toHaveLength(scope === "public" ? 0 : 1);
    }
  });
});
