import { describe, expect, it } from "vitest";
import * as z from "zod";
import { renderAnswer, renderFailure } from "../../../src/http/dialects";
import { parseOrFail } from "../../../src/http/validation";
import { Failure } from "../../../src/platform/failure";

const schema = z.object({
  turns: z.array(z.object({ role: z.string().max(3) })).min(1),
  mode: z.enum(["a", "b"]).optional(),
  filter: z.union([z.enum(["x"]), z.array(z.enum(["x"]))]).optional(),
});

const faultsOf = (value: unknown) => {
  try {
    parseOrFail(schema, value);
  } catch (error) {
    if (error instanceof Failure) return error.issues;
  }
  throw new Error("expected a failure");
};

describe("a fault of an input", () => {
  it.each([
    [{ turns: [{ role: "long" }] }, "/turns/0/role", "at most 3 characters"],
    [{ turns: [] }, "/turns", "at least 1 entry"],
    [{ turns: [{ role: 1 }] }, "/turns/0/role", "a value of type string"],
    [{}, "/turns", "a value of type array"],
    [{ turns: [{ role: "a" }], mode: "c" }, "/mode", 'one of "a", "b"'],
    [{ turns: [{ role: "a" }], filter: "y" }, "/filter", 'one of "x"'],
  ])("%j names its place and what would be right", (value, pointer, expected) => {
    expect(faultsOf(value)[0]).toMatchObject({ pointer, expected });
  });

  it("is named with every other fault at once, and never without end", () => {
    const turns = Array.from({ length: 50 }, () => ({ role: 1 }));
    expect(faultsOf({ turns })).toHaveLength(20);
  });
});

describe("the dialects", () => {
  const failure = new Failure("invalid", "wrong", [
    { pointer: "/turns/0/role", message: "too long", expected: "at most 3 characters", type: "too_big" },
  ]);

  it("reflexio gives a detail list with loc and msg", () => {
    expect(renderFailure("reflexio", failure)).toMatchObject({
      status: 422,
      contentType: "application/json",
      body: {
        detail: [
          { loc: ["body", "turns", 0, "role"], msg: "too long", type: "too_big", pointer: "/turns/0/role" },
        ],
      },
    });
  });

  it("own gives a problem document", () => {
    expect(renderFailure("own", failure)).toMatchObject({
      contentType: "application/problem+json",
      body: { status: 422, error: "wrong", errors: [{ pointer: "/turns/0/role" }] },
    });
  });

  it.each(["unauthorized", "too_large", "limited"] as const)(
    "answer %s as own, whatever the route speaks",
    (kind) => {
      expect(renderFailure("reflexio", new Failure(kind, "no")).contentType).toBe("application/problem+json");
    },
  );

  it("page escapes what came from outside", () => {
    expect(String(renderFailure("page", new Failure("invalid", "<script>")).body)).not.toContain("<script>");
  });

  it("reflexio drops null keys at every depth, own keeps them", () => {
    const body = { a: null, b: [{ c: null, d: 1 }], tool_data: { e: null } };
    expect(renderAnswer("reflexio", body)).toEqual({ b: [{ d: 1 }], tool_data: { e: null } });
    expect(renderAnswer("own", body)).toEqual(body);
  });
});
