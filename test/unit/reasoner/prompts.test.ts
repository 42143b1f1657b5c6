import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderGenerated } from "../../../scripts/build-prompts.mjs";
import {
  comparePromptVersions,
  compilePrompt,
  loadPrompt,
  PromptError,
  promptVersions,
} from "../../../src/platform/prompts";
import { promptSources } from "../../../src/platform/prompts/generated";
import { wireSchemaOf } from "../../../src/platform/reasoner/llm/wire";
import { strictSchemaFaults } from "../../support/strict-schema";

const generatedPath = new URL("../../../src/platform/prompts/generated.ts", import.meta.url);
const keys = Object.keys(promptSources);

const file = (front: string, user = "Say {{word}}."): string => `---\n${front}\n---\n=== user ===\n${user}\n`;
const front = "id: greet\nversion: 1.0.0\nmodel_role: should_run\nvariables: word\noutput: text";

describe("the compiled prompts", () => {
  it("are those on disk (else run node scripts/build-prompts.mjs)", () => {
    expect(readFileSync(generatedPath, "utf8")).toBe(renderGenerated());
  });

  it.each(keys)("%s is well-formed, and its output schema is one that strict mode takes", (key) => {
    const [id, version] = key.split("/");
    const { meta } = loadPrompt(id ?? "", version);
    const wire = wireSchemaOf(meta.output);
    expect(wire === null ? [] : strictSchemaFaults(wire.schema)).toEqual([]);
  });

  it("has each task's prompt in one active version", () => {
    for (const id of [
      "should-extract",
      "extract",
      "should-extract-expert",
      "extract-expert",
      "review-candidates",
      "review-stored",
      "consolidate",
      "synthesise",
      "tag",
      "reformulate",
      "repair",
    ]) {
      expect({ id, version: loadPrompt(id).meta.version }).toEqual({ id, version: "1.0.0" });
    }
  });

  it("puts everything that changes from call to call into the user message", () => {
    const changing = [
      "tag",
      "chronology",
      "pairs",
      "rules",
      "candidates",
      "rule",
      "existing_rules",
      "fresh",
      "existing",
      "sources",
      "history",
      "query",
    ];
    for (const key of keys) {
      for (const name of changing)
        expect(loadPrompt(key.split("/")[0] ?? "").systemTemplate).not.toContain(`{{${name}}}`);
    }
  });
});

describe("rendering", () => {
  it("names a variable that is missing, and one that is not declared", () => {
    const prompt = compilePrompt("greet/1.0.0", file(front));
    expect(() => prompt.render({})).toThrow(/"word" is missing/);
    expect(() => prompt.render({ word: "hi", other: "x" })).toThrow(/"other" is not one of its variables/);
    expect(() => prompt.render({}).user).toThrow(PromptError);
  });

  it("never reads inserted text as a template", () => {
    expect(compilePrompt("greet/1.0.0", file(front)).render({ word: "{{word}} $& $1" }).user).toBe(
      "Say {{word}} $& $1.",
    );
  });

  it("does not take what objects inherit for a variable", () => {
    const inherited = compilePrompt(
      "greet/1.0.0",
      file(front.replace("word", "constructor"), "{{constructor}}"),
    );
    expect(() => inherited.render({})).toThrow(/"constructor" is missing/);
  });
});

describe("front matter", () => {
  it.each([
    ["no front matter", "Say hi."],
    ["an unknown role", file(front.replace("should_run", "boss"))],
    ["an unknown key", file(`${front}\nauthor: somebody`)],
    ["a missing key", file(front.replace("output: text", ""))],
    ["another id than its place", file(front.replace("greet", "greeting"))],
    ["a version that is no version", file(front.replace("1.0.0", "v1"))],
    ["a variable that is not used", file(front.replace("word", "word, other"))],
    ["a place that is not declared", file(front, "Say {{word}} {{other}}.")],
  ])("refuses %s", (_what, text) => {
    expect(() => compilePrompt("greet/1.0.0", text)).toThrow(PromptError);
  });
});

describe("versions", () => {
  it("are compared by number, not by text", () => {
    const versions = ["1.10.0", "1.9.0", "2.0.0", "1.9.10"].sort(comparePromptVersions);
    expect(versions).toEqual(["1.9.0", "1.9.10", "1.10.0", "2.0.0"]);
  });

  it("that do not exist are refused by name", () => {
    expect(() => loadPrompt("extract", "9.9.9")).toThrow(/extract\/9\.9\.9/);
    expect(() => loadPrompt("no-such-prompt")).toThrow(PromptError);
    expect(promptVersions("no-such-prompt")).toEqual([]);
  });
});
