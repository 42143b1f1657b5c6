import { describe, expect, it } from "vitest";
import * as z from "zod";
import { orBlank, typedText } from "../../../src/dashboard/blanks";
import { peopleOf } from "../../../src/dashboard/people";
import { sessionHref, turnHref } from "../../../src/dashboard/sessions/href";

describe("people on a page", () => {
  it("are named to reviewers and counted to others, the same user by the same number", () => {
    const users = ["ann", null, "bea", "ann"];
    expect(users.map(peopleOf(users, true))).toEqual(["ann", "no user", "bea", "ann"]);
    expect(users.map(peopleOf(users, false))).toEqual(["user 1", "no user", "user 2", "user 1"]);
  });
});

describe("a field of a form", () => {
  it("counts as absent where it was left empty", () => {
    const schema = z.object({ name: orBlank(z.string().max(3)) });
    expect(schema.parse({ name: "" })).toEqual({ name: undefined });
    expect(schema.parse({})).toEqual({});
    expect(schema.parse({ name: "ann" })).toEqual({ name: "ann" });
    expect(schema.safeParse({ name: "anna" }).success).toBe(false);
  });

  it("has the line ends that the text had before a browser sent it", () => {
    expect(typedText(3).parse("a\r\nb")).toBe("a\nb");
    expect(typedText(2).safeParse("a\r\nb").success).toBe(false);
  });
});

describe("the address of a session", () => {
  it.each([
    ["plain", "/desk/sessions/plain"],
    ["a/b?c#d %41", "/desk/sessions/a%2Fb%3Fc%23d%20%2541"],
    ["//evil.example", "/desk/sessions/%2F%2Fevil.example"],
    [".", "/desk/sessions?session=."],
    ["..", "/desk/sessions?session=.."],
  ])("leads to %j and nowhere else", (id, href) => {
    expect(sessionHref(id)).toBe(href);
    const { origin, pathname, searchParams } = new URL(href, "https://desk.example");
    expect(origin).toBe("https://desk.example");
    const named = searchParams.get("session") ?? decodeURIComponent(pathname.slice("/desk/sessions/".length));
    expect(named).toBe(id);
  });

  it("points at a turn", () => {
    expect(turnHref("s", 7)).toBe("/desk/sessions/s?turn=7#turn-7");
    expect(turnHref("..", 7)).toBe("/desk/sessions?session=..&turn=7#turn-7");
  });
});
