/** The documentation's parts: schemas in words, commands for a shell, examples in order. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { curlOf, runOrder } from "../../../src/dashboard/docs/examples";
import { JOBS, jobOf } from "../../../src/dashboard/docs/jobs";
import { jobMarkdown, llmsText, markdownPath } from "../../../src/dashboard/docs/llms";
import { referenceOf } from "../../../src/dashboard/docs/reference";
import { fieldRows, limitsOf, shapeOf, typeOf } from "../../../src/dashboard/docs/schema";
import { defineRoute } from "../../../src/http/define";
import { exampleAddress, filled, type RouteExample, yieldedBy } from "../../../src/http/example";
import { openApiDocument } from "../../../src/http/openapi";
import type { Route } from "../../../src/http/route";
import { routes } from "../../../src/routes";

const served = routes.filter(({ dialect }) => dialect !== "page");

const routeOf = (method: "get" | "post" | "delete", path: string, example: RouteExample): Route =>
  defineRoute({
    dialect: "own",
    method,
    path,
    tag: "Search",
    summary: "s",
    scope: "read",
    limit: "none",
    response: z.object({}),
    example,
    handler: async () => ({}),
  });

describe("every route of the API", () => {
  it("has a job", () => {
    expect(served.filter((route) => jobOf(route) === undefined).map(({ path }) => path)).toEqual([]);
  });

  it("is told once, with an anchor of its own", () => {
    const told = referenceOf(routes).flatMap((job) => job.routes);
    expect(told.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      served.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
    );
    expect(new Set(told.map(({ anchor }) => anchor)).size).toBe(told.length);
  });

  it("says what each field of its input means", () => {
    const silent = referenceOf(routes)
      .flatMap((job) => job.routes)
      .flatMap(({ path, body, parameters }) =>
        [...body, ...parameters].flatMap(({ name, meaning }) => (meaning === "" ? [`${path} ${name}`] : [])),
      );
    expect(silent).toEqual([]);
  });

  it("has patterns that JSON Schema understands", () => {
    const patterns = [...JSON.stringify(openApiDocument(routes)).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
    expect(patterns.length).toBeGreaterThan(0);
    for (const [, text] of patterns) {
      const pattern = z.string().parse(JSON.parse(text ?? ""));
      expect(pattern).not.toMatch(/\/[a-z]+$/);
      expect(() => new RegExp(pattern, "u")).not.toThrow();
    }
  });
});

describe("a schema in words", () => {
  it.each([
    [{ type: "string" }, "text"],
    [{ type: ["integer", "null"] }, "whole number"],
    [{ type: "array", items: { type: "integer" } }, "list of whole numbers"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, "text or whole number"],
    [
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      "list of (text or whole number)",
    ],
    [{}, "any JSON"],
  ])("names the type of %j", (schema, words) => {
    expect(typeOf(schema)).toBe(words);
  });

  it.each([
    [{ type: "string", maxLength: 1000 }, "at most 1,000 characters"],
    [{ type: "integer", minimum: 1, maximum: 9 }, "1 to 9"],
    [{ enum: ["a", null, "b"] }, "one of a, b"],
    [{ oneOf: [{ enum: ["a"] }, { enum: ["b"] }] }, "one of a, b"],
    [{ type: "array", maxItems: 3, items: { enum: ["x"] } }, "at most 3 entries, each one of x"],
    [{ type: "boolean", default: false }, "default false"],
    [{ type: "number", exclusiveMinimum: 0 }, "above 0"],
  ])("names the limits of %j", (schema, words) => {
    expect(limitsOf(schema)).toBe(words);
  });

  it("lists nested fields after their parent, and calls required what every alternative demands", () => {
    const schema = {
      oneOf: [
        {
          properties: { kind: { enum: ["a"] }, ids: { type: "array", items: { properties: { n: {} } } } },
          required: ["kind", "ids"],
        },
        { properties: { kind: { enum: ["b"] } }, required: ["kind"] },
      ],
    };
    expect(fieldRows(schema).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ["kind", true],
      ["ids", false],
      ["ids[].n", false],
    ]);
  });

  it("shows an answer as one shape", () => {
    const list = {
      type: "array",
      items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    };
    expect(
      shapeOf({
        type: "object",
        properties: { rows: list, note: { type: ["string", "null"] } },
        required: ["rows"],
      }),
    ).toBe("{ rows: { id: integer }[], note?: string | null }");
  });

  it("ends where a schema holds itself", () => {
    const loop: Record<string, unknown> = { type: "object" };
    loop.properties = { again: loop };
    expect(fieldRows(loop).length).toBeLessThan(10);
  });
});

describe("an example", () => {
  const samples = new Map<string, string | number>([
    ["id", 3],
    ["name", "x"],
  ]);

  it("is filled with the type of what fills it", () => {
    expect(filled({ a: "{{id}}", b: ["no {{id}}", "{{other}}"] }, samples)).toEqual({
      a: 3,
      b: ["no 3", "{{other}}"],
    });
    expect(exampleAddress("/a/{x}", { params: { x: "{{name}}/" }, query: { q: "{{id}}" } }, samples)).toBe(
      "/a/x%2F?q=3",
    );
  });

  it("yields what its pointers find, and nothing where there is nothing", () => {
    const example = {
      yields: { a: { pointer: "/rows/0/id", sample: 1 }, b: { pointer: "/none/0", sample: 1 } },
    };
    expect([...yieldedBy(example, { rows: [{ id: 7 }] })]).toEqual([["a", 7]]);
  });

  it("is a command in which nothing of the text is the shell's", () => {
    const example = { body: { text: "it's $HOME `x`", id: "{{id}}", name: "{{name}}" } };
    const command = curlOf({ route: routeOf("post", "/a", example), example }, samples);
    expect(command).toContain(`"text": "it'\\''s $HOME \`x\`"`);
    expect(command).toContain(`"id": '"$ID"'`);
    expect(command).toContain(`"name": "'"$NAME"'"`);
  });

  it("runs after those that it needs, and deletions run last", () => {
    const ordered = runOrder([
      routeOf("delete", "/things", {}),
      routeOf("get", "/things/{id}", { params: { id: "{{thing}}" } }),
      routeOf("get", "/list", { after: "post /things" }),
      routeOf("post", "/things", { yields: { thing: { pointer: "/id", sample: 1 } } }),
    ]);
    expect(ordered.map(({ route }) => `${route.method} ${route.path}`)).toEqual([
      "post /things",
      "get /things/{id}",
      "get /list",
      "delete /things",
    ]);
  });

  it("that waits for itself does not keep the others from running", () => {
    const loop = { params: { id: "{{a}}" }, yields: { a: { pointer: "/a", sample: 1 } } };
    expect(runOrder([routeOf("get", "/x/{id}", loop), routeOf("get", "/y", {})])).toHaveLength(2);
  });
});

describe("the text for language models", () => {
  const jobs = referenceOf(routes);
  const text = llmsText(jobs);

  it("has the form of llmstxt.org: one title, a summary, and sections of links", () => {
    const lines = text.split("\n");
    expect(lines[0]).toBe("# Playmaker");
    expect(lines[2]?.startsWith("> ")).toBe(true);
    expect(lines.filter((line) => line.startsWith("# "))).toHaveLength(1);
    const headings = lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3));
    expect(headings).toEqual([...JOBS.map(({ title }) => title), "Optional"]);
  });

  it("has a line for every route and five examples whole", () => {
    for (const { method, path } of served) {
      expect(text).toContain(`- [${method.toUpperCase()} ${path}](`);
    }
    const beforeSections = text.slice(0, text.indexOf("\n## "));
    expect(beforeSections.match(/curl -s/g)).toHaveLength(5);
  });

  it("leads to pages that tell every route whole", () => {
    for (const job of jobs) {
      expect(text).toContain(markdownPath(job));
      const page = jobMarkdown(job);
      for (const { method, path } of job.routes) expect(page).toContain(`## ${method} ${path}`);
    }
  });
});
