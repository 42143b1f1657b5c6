import { describe, expect, it } from "vitest";
import { checkTools } from "../../../../src/documents/validate/tools";
import { findingsOf, found, withSteps } from "../support/passes";

const at = (path: string) => `/playbook/steps/${path}`;
const agent = (...allowedTools: unknown[]) => ({ id: "a", kind: "agent", allowedTools });
const tool = (name: unknown, more: object = {}) => ({ id: "t", kind: "tool", tool: name, ...more });
const mail = {
  name: "mail",
  inputSchema: {
    type: "object",
    properties: { to: { type: "string", format: "email" }, n: { type: "integer" } },
    required: ["to"],
  },
};
const check = (steps: unknown[], tools: unknown = [], requires: object = {}, manifest: object = {}) =>
  found(checkTools, withSteps(steps, { tools, manifest }, requires));

describe("a tool that a step names", () => {
  it("is one that the playbook defines", () => {
    expect(check([agent("mail"), tool("mail", { input: { to: "a@b.example" } })], [mail])).toEqual([]);
    expect(check([agent("mail", "nope"), tool("nope")], [mail])).toEqual([
      `S412 ${at("0/allowedTools/1")}`,
      `S421 ${at("1/tool")}`,
    ]);
  });

  it("is suggested when it is mistyped", () => {
    expect(findingsOf(checkTools, withSteps([tool("mial")], { tools: [mail] }))[0]?.hint).toBe(
      'did you mean "mail"?',
    );
  });

  it("may be one that an MCP server lists, by itself or behind the server's name", () => {
    const requires = { mcpServers: [{ name: "github", tools: ["create_issue"] }] };
    expect(
      check([agent("create_issue", "github/create_issue", "github.create_issue")], [], requires),
    ).toEqual([]);
    expect(check([agent("close_issue", "github/close_issue", "git.create_issue")], [], requires)).toEqual([
      `S412 ${at("0/allowedTools/0")}`,
      `S412 ${at("0/allowedTools/1")}`,
      `S412 ${at("0/allowedTools/2")}`,
    ]);
    expect(check([agent("create_issue")], [], { mcpServers: [{ name: "github", tools: [] }] })).toEqual([
      `S412 ${at("0/allowedTools/0")}`,
    ]);
  });

  it("may be any beside a server that does not say what it offers", () => {
    for (const server of ["github", { name: "github" }, { name: "github", tools: "all" }])
      expect(check([agent("whatever"), tool("else")], [], { mcpServers: [server] })).toEqual([]);
  });

  it("may be one of a declared connector, by the connector's name", () => {
    const steps = [agent("gmail.send", "gmail_send", "gmail/send")];
    expect(check(steps, [], { connections: ["gmail"] })).toEqual([]);
    expect(check(steps, [], { connections: [{ id: "x", provider: "gmail" }] })).toEqual([]);
    expect(check(steps, [], {}, { requiredConnectors: ["gmail"] })).toEqual([]);
    expect(check([agent("gmail", "gmail.", "gmailer")], [], { connections: ["gmail"] })).toHaveLength(3);
  });

  it("is looked for inside of maps as well", () => {
    expect(check([{ id: "m", kind: "map", itemStep: tool("nope") }])).toEqual([
      `S421 ${at("0/itemStep/tool")}`,
    ]);
  });

  it("is left alone where it is no text, or the step of no known kind", () => {
    expect(
      check([
        agent(7, null, {}),
        { id: "a", kind: "agent", allowedTools: "mail" },
        tool(7),
        { kind: "magic", tool: "x" },
      ]),
    ).toEqual([]);
  });
});

describe("two tools of one name", () => {
  it("are one too many, and nothing is guessed about their input", () => {
    expect(check([tool("mail", { input: {} })], [mail, { name: "mail" }])).toEqual([
      "S424 /playbook/tools/1/name",
    ]);
  });
});

describe("a schema", () => {
  it("of an output, and of a tool, is checked before use, and each fault is where it is", () => {
    const bad = { type: "object", properties: { x: { type: "string", maxLenght: 3 } } };
    expect(
      check(
        [{ id: "a", kind: "agent", outputSchema: bad }],
        [{ name: "t", inputSchema: bad, outputSchema: { $ref: "https://x.example/y" } }],
      ),
    ).toEqual(
      [
        `S414 ${at("0/outputSchema/properties/x/maxLenght")}`,
        "S414 /playbook/tools/0/inputSchema/properties/x/maxLenght",
        "S414 /playbook/tools/0/outputSchema/$ref",
      ].sort(),
    );
  });

  it("that is no object is left to the shape check", () => {
    expect(check([{ id: "a", kind: "agent", outputSchema: "x" }], [{ name: "t", inputSchema: 7 }])).toEqual(
      [],
    );
  });
});

describe("the input of a tool step", () => {
  it("must not break the tool's schema in what is literal", () => {
    expect(check([tool("mail", { input: { to: 7 } })], [mail])).toEqual([`S422 ${at("0/input/to")}`]);
    expect(check([tool("mail", { input: { to: "nobody", n: 1.5 } })], [mail])).toEqual([
      `S422 ${at("0/input/n")}`,
      `S422 ${at("0/input/to")}`,
    ]);
    expect(check([tool("mail", { input: {} })], [mail])).toEqual([`S422 ${at("0/input")}`]);
  });

  it("that is missing counts as {}", () => {
    expect(check([tool("mail")], [mail])).toEqual([`S422 ${at("0")}`]);
    expect(check([tool("open")], [{ name: "open", inputSchema: {} }, { name: "none" }])).toEqual([]);
  });

  it("may hold anything where it is computed or secret", () => {
    const input = { to: `\${{ trigger.to }}`, n: { $secret: "N" } };
    expect(check([tool("mail", { input })], [mail])).toEqual([]);
  });

  it("is not held against a schema that is itself wrong", () => {
    expect(check([tool("t", { input: 7 })], [{ name: "t", inputSchema: { type: "objekt" } }])).toEqual([
      "S414 /playbook/tools/0/inputSchema/type",
    ]);
  });
});

describe("a retry", () => {
  const retried = (maxAttempts: unknown, more: object) =>
    check([tool("t", { retry: { maxAttempts } })], [{ name: "t", ...more }]);

  it("of a tool that would do it twice is a warning", () => {
    expect(retried(2, { sideEffect: "write" })).toEqual([`S423 ${at("0/retry")}`]);
    expect(retried(2, { sideEffect: "irreversible", idempotent: false })).toEqual([`S423 ${at("0/retry")}`]);
  });

  it("is fine once, for tools that only read, and for those that say so", () => {
    expect(retried(1, { sideEffect: "write" })).toEqual([]);
    expect(retried("2", { sideEffect: "write" })).toEqual([]);
    expect(retried(5, { sideEffect: "read" })).toEqual([]);
    expect(retried(5, {})).toEqual([]);
    expect(retried(5, { sideEffect: "write", idempotent: true })).toEqual([]);
  });
});
