/** The README's table of Reflexio's endpoints says what is true. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { laterRoutes } from "../../../src/http/not-yet";
import { routes } from "../../../src/routes";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

/** Rows of the table: the endpoints of the first cell, and what the second says. */
const table = readme
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([, , state]) => state === "done" || state === "different" || state === "later")
  .map(([, endpoints = "", state = "", reason = ""]) => ({
    endpoints: [...endpoints.matchAll(/`([A-Z]+ \/\S*)`/g)].map(([, endpoint = ""]) => endpoint),
    ...{ state, reason },
  }));

const listed = (...states: string[]) =>
  table.filter(({ state }) => states.includes(state)).flatMap(({ endpoints }) => endpoints);

describe("the table of Reflexio's endpoints", () => {
  it("names each endpoint once", () => {
    const all = listed("done", "different", "later");
    expect(all.length).toBeGreaterThan(85);
    expect(all.filter((endpoint, at) => all.indexOf(endpoint) !== at)).toEqual([]);
  });

  it("calls done and different only what a route answers", () => {
    const served = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(listed("done", "different").filter((endpoint) => !served.includes(endpoint))).toEqual([]);
  });

  it("calls later exactly what answers that it is missing", () => {
    expect(listed("later").sort()).toEqual(laterRoutes.map(({ route }) => route).sort());
  });

  it("gives a reason for everything that is different or later", () => {
    expect(table.filter(({ state, reason }) => state !== "done" && reason === "")).toEqual([]);
  });

  it("names every endpoint that the product's description lists", () => {
    const described = readFileSync(new URL("../../compat/endpoints.txt", import.meta.url), "utf8");
    const wanted = described
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /^[A-Z]+ \//.test(line));
    expect(wanted.length).toBeGreaterThan(50);
    const all = listed("done", "different", "later");
    expect(wanted.filter((endpoint) => !all.includes(endpoint))).toEqual([]);
  });
});
