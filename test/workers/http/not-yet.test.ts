/** What Reflexio's server has and this one does not say so, and nothing else does. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { laterRoutes } from "../../../src/http/not-yet";
import { openApiDocument } from "../../../src/http/openapi";
import { routes } from "../../../src/routes";

const ask = (method: string, path: string) =>
  exports.default.fetch(new Request(`http://localhost${path}`, { method }));

const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, "some-id");

describe("a route of Reflexio that is missing", () => {
  it.each(laterRoutes)("answers 501 and names its area: $route", async ({ route, area }) => {
    const [method = "", path = ""] = route.split(" ");
    const response = await ask(method, filled(path));
    expect(response.status).toBe(501);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const body = await response.json<{ detail: string; error: string }>();
    expect(body).toMatchObject({ title: "not_implemented", status: 501, error: body.detail });
    expect(body.detail).toContain(area.replace("the ", ""));
  });

  it("is in no document, and gives way to a route that is made for its address", () => {
    const documented = Object.keys(openApiDocument(routes).paths ?? {});
    const missing = laterRoutes.map(({ route }) => route.split(" ")[1]);
    expect(documented.filter((path) => missing.includes(path))).toEqual([]);
  });
});

describe("any other address", () => {
  it.each([
    ["GET", "/api/get_profiles", 404],
    ["POST", "/api/get_profiles/x", 404],
    ["POST", "/api/pending_tool_calls/a/b/resolve", 404],
    ["PUT", "/api/whoami", 405],
  ])("is not taken for one: %s %s", async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });
});
