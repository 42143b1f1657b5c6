/** Generation on demand over HTTP, where there is nothing to do, and what a source means. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sourcesOf } from "../../../src/learning/modes/model";

describe("what a source means", () => {
  it.each([
    ["rerun", null, null, { users: null, window: null }],
    ["rerun", [], "mail", { users: ["mail"], window: ["mail"] }],
    ["manual", null, "mail", { users: ["mail"], window: null }],
    ["manual", ["mail", "chat"], null, { users: ["mail", "chat"], window: ["mail", "chat"] }],
    ["rerun", ["mail", "chat"], "chat", { users: ["chat"], window: ["chat"] }],
    ["manual", ["mail"], "chat", null],
  ] as const)("in a %s of an org that enables %j, asked for %j", (mode, enabled, source, expected) => {
    expect(sourcesOf(mode, enabled, source)).toEqual(expected);
  });
});

describe("over HTTP", () => {
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await exports.default.fetch(`http://localhost${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, answer: await response.json() };
  };

  it("a service that nobody knows, or that never ran, is a failure of the domain", async () => {
    const none = { status: 200, answer: { success: false, msg: "No operation of this service was found" } };
    expect(await ask("GET", "/api/get_operation_status")).toEqual(none);
    expect(await ask("GET", "/api/get_operation_status?service_name=nonsense")).toEqual(none);
    expect(await ask("POST", "/api/cancel_operation", { service_name: "nonsense" })).toEqual({
      status: 200,
      answer: { success: false, cancelled_services: [], msg: "There is no such service" },
    });
    expect(await ask("POST", "/api/cancel_operation", {})).toEqual({
      status: 200,
      answer: { success: true, cancelled_services: [], msg: "Nothing was running" },
    });
  });

  it("with nobody to learn from a rerun fails and a generation by hand has nothing", async () => {
    expect(await ask("POST", "/api/rerun_playbook_generation", { agent_version: "" })).toEqual({
      status: 200,
      answer: {
        success: false,
        msg: "No interactions found for this agent version, time and source",
        operation_id: "rerun_playbook_generation",
      },
    });
    expect(await ask("POST", "/api/manual_playbook_generation", { agent_version: "nobody" })).toEqual({
      status: 200,
      answer: { success: true, msg: "No interactions found", playbooks_generated: 0 },
    });
  });

  it("a range that ends before it begins is refused with its place", async () => {
    const { status, answer } = await ask("POST", "/api/rerun_playbook_generation", {
      start_time: "2030-01-02T00:00:00",
      end_time: "2030-01-01T00:00:00",
    });
    expect(status).toBe(422);
    expect(JSON.stringify(answer)).toContain("end_time");
  });
});
