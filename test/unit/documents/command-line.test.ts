/** `npm run playbook`: the real commands, each in a process of its own. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { MINIMAL_DOCUMENT } from "../../../src/documents/minimal-document";
import { COMMAND_MS, changed, ROOT, TEXT, usePlaybookCommand } from "./support/playbook-command";

const { playbook, file } = usePlaybookCommand();

describe("npm run playbook -- validate", { timeout: COMMAND_MS }, () => {
  it("is silent about a good document but for the counts", () => {
    expect(playbook(["validate", "good.playbook.json"])).toEqual({
      status: 0,
      stdout: "0 errors, 0 warnings in 1 file\n",
      stderr: "",
    });
  });

  it("names each fault with file, line, column, code and what would be right, above the line and a caret", () => {
    const text = changed('"next": "done"', '"next": "dnoe"').replace('"user"', '"robot"');
    const { status, stdout } = playbook(["validate", file("faults.playbook.json", text)]);
    expect(status).toBe(1);
    const lines = stdout.split("\n");
    const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1;
    const at = lineOf("dnoe");
    const column = (text.split("\n")[at - 1] ?? "").indexOf('"dnoe"') + 1;
    const head = lines.findIndex((line) =>
      line.startsWith(`faults.playbook.json:${at}:${column} G502 error `),
    );
    expect(lines[head]).toMatch(/\(.*done.*\)$/);
    expect(lines[head + 1]).toBe("      at /playbook/steps/0/next");
    expect(lines[head + 2]).toBe(`${String(at).padStart(5)} | ${text.split("\n")[at - 1]}`);
    expect(lines[head + 3]).toBe(`      | ${" ".repeat(column - 1)}^`);
    expect(stdout).toContain(`faults.playbook.json:${lineOf("robot")}:`);
    expect(stdout).toMatch(/2 errors, 0 warnings in 1 file\n$/);
  });

  it("ends with 0 when there are only warnings", () => {
    const text = changed(
      '"triggers": [\n      {\n        "kind": "manual"\n      }\n    ]',
      '"triggers": []',
    );
    const { status, stdout } = playbook(["validate", file("warned.playbook.json", text)]);
    expect(stdout).toContain(" T303 warning ");
    expect(stdout).toMatch(/0 errors, 1 warning in 1 file\n$/);
    expect(status).toBe(0);
  });

  it("sees the second of two equal names, which JSON parsers drop", () => {
    const text = changed('"maxLlmCostCents": 10', '"maxLlmCostCents": 10,\n      "maxLlmCostCents": 99999');
    const { status, stdout } = playbook(["validate", "-"], text);
    expect(status).toBe(1);
    const at = text.split("\n").findIndex((line) => line.includes("99999")) + 1;
    expect(stdout).toContain(`<stdin>:${at}:7 E106 error `);
  });

  it("shows a text of one line around its finding only, with the caret below it", () => {
    const text = JSON.stringify(MINIMAL_DOCUMENT).replace('"manual"', '"email"');
    const { stdout } = playbook(["validate", "-"], text);
    const [, , shown = "", caret = ""] = stdout.split("\n");
    expect(shown.length).toBeLessThan(120);
    expect(shown.slice(caret.indexOf("^"))).toMatch(/^"email"/);
  });

  it("writes nothing of a document to the terminal that would steer it", () => {
    const written = changed('"kind": "manual"', '"kind": "\u001b[2J\u202e"');
    const escaped = changed('"kind": "manual"', '"kind": "\\u001b[2J\\u202e"');
    for (const text of [written, escaped]) {
      const { status, stdout } = playbook(["validate", "-"], text);
      expect(status).toBe(1);
      expect(stdout).toContain("[2J");
      for (const hostile of ["\u001b", "\u202e"]) expect(stdout).not.toContain(hostile);
    }
  });

  it("goes on after a file that cannot be read, and ends with 2", () => {
    const { status, stdout, stderr } = playbook([
      "validate",
      "none.playbook.json",
      "good.playbook.json",
      ".",
    ]);
    expect(stderr).toBe(
      "none.playbook.json cannot be read: there is no such file.\n. cannot be read: it is a directory.\n",
    );
    expect(stdout).toBe("0 errors, 0 warnings in 1 file\n");
    expect(status).toBe(2);
  });

  it("says where bytes are not UTF-8, and what is no JSON", () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"opbVersion": "1.6'), 0xff]);
    expect(playbook(["validate", file("bytes.json", bytes)]).stdout).toMatch(
      /^bytes\.json:1:\d+ E100 error /,
    );
    expect(playbook(["validate", "-"], "").stdout).toMatch(/^<stdin>:1:1 E100 error /);
  });

  it("answers programs as JSON", () => {
    const { status, stdout } = playbook(["validate", "--json", "good.playbook.json", "-"], "[]");
    const answer = z
      .array(
        z.object({ file: z.string(), valid: z.boolean(), findings: z.array(z.object({ code: z.string() })) }),
      )
      .parse(JSON.parse(stdout));
    expect(answer.map(({ file, valid }) => [file, valid])).toEqual([
      ["good.playbook.json", true],
      ["<stdin>", false],
    ]);
    expect(answer[1]?.findings.map(({ code }) => code)).toEqual(["E100"]);
    expect(status).toBe(1);
  });

  it("accepts a newer minor to be looked at, with a warning", () => {
    const newer = file("newer.playbook.json", TEXT.replaceAll('"1.0"', '"1.12"'));
    expect(playbook(["validate", newer]).status).toBe(1);
    const inspected = playbook(["validate", "--inspect", newer]);
    expect(inspected.stdout).toContain(" E103 warning ");
    expect(inspected.status).toBe(0);
  });
});

describe("npm run playbook", { timeout: COMMAND_MS }, () => {
  it.each([
    [[], "No command is given."],
    [["validat", "x"], 'There is no command "validat".'],
    [["validate"], "validate needs at least one file."],
    [["graph", "a", "b"], "graph needs one file, and 2 are given."],
    [["graph", "a", "--inspect"], "graph does not take --inspect."],
    [["simulate", "good.playbook.json"], "simulate needs --script SCRIPT.json."],
    [["validate", "--fast", "good.playbook.json"], "Unknown option '--fast'"],
  ])("says what is wrong with %j and how it is used", (args, fault) => {
    const { status, stdout, stderr } = playbook(args);
    expect(stderr).toContain(fault);
    expect(stderr).toContain("npm run playbook -- COMMAND");
    expect([status, stdout]).toEqual([2, ""]);
  });

  it("helps when asked to", () => {
    const { status, stdout } = playbook(["help"]);
    expect(stdout).toContain("simulate FILE --script SCRIPT");
    expect(status).toBe(0);
  });

  it("draws the steps, even of a document with faults", () => {
    const { status, stdout } = playbook(["graph", "-"], changed('"next": "done"', '"next": "dnoe"'));
    expect(stdout).toMatch(/^flowchart TD\n/);
    expect(status).toBe(0);
  });

  it("exports a good document canonically, and the export exports as itself", () => {
    const first = playbook(["export", "good.playbook.json"]);
    expect(first.status).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ opbVersion: "1.0", playbook: { tools: [] } });
    expect(playbook(["export", "-"], first.stdout).stdout).toBe(first.stdout);
  });

  it("exports nothing of a document with faults", () => {
    const { status, stdout, stderr } = playbook(["export", "-"], changed('"next": "done"', '"next": "dnoe"'));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(" G502 error ");
  });
});

describe("package.json", () => {
  it(
    "has the command",
    () => {
      const { status, stdout } = spawnSync("npm", ["run", "-s", "playbook", "--", "help"], {
        cwd: ROOT,
        encoding: "utf8",
        timeout: COMMAND_MS,
      });
      expect(stdout).toContain("npm run playbook -- COMMAND");
      expect(status).toBe(0);
    },
    COMMAND_MS,
  );
});
