import { describe, expect, it } from "vitest";
import { parseOrFail } from "../../../src/http/validation";
import { Failure } from "../../../src/platform/failure";
import {
  addUserPlaybookBody,
  getAgentPlaybooksBody,
  getUserPlaybooksBody,
  listFilterOf,
  updateAgentPlaybookBody,
} from "../../../src/playbooks/schemas";

function pointersOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof Failure) return error.issues.map((issue) => issue.pointer);
    throw error;
  }
  return [];
}

describe("bodies of the playbook routes", () => {
  it("take null for absent everywhere a field is optional", () => {
    const nulls = {
      limit: null,
      query: null,
      start_time: null,
      status_filter: null,
      tags: null,
      user_id: null,
    };
    expect(listFilterOf(getUserPlaybooksBody.parse(nulls))).toEqual(
      listFilterOf(getUserPlaybooksBody.parse({})),
    );
  });

  it("read a time without an offset as UTC", () => {
    const body = (start_time: string) => getUserPlaybooksBody.parse({ start_time }).start_time;
    expect(body("2024-05-01T12:00:00.250000")).toBe(Date.UTC(2024, 4, 1, 12, 0, 0, 250));
    expect(body("2024-05-01T12:00:00+02:00")).toBe(Date.UTC(2024, 4, 1, 10));
  });

  it.each([
    [getUserPlaybooksBody, { limit: 0 }, "/limit"],
    [getUserPlaybooksBody, { user_playbook_id: -1 }, "/user_playbook_id"],
    [getUserPlaybooksBody, { status_filter: [null, "gone"] }, "/status_filter/1"],
    [getUserPlaybooksBody, { start_time: "yesterday" }, "/start_time"],
    [
      getUserPlaybooksBody,
      { start_time: "2024-05-01T00:00:00", end_time: "2024-05-01T00:00:00" },
      "/end_time",
    ],
    [getAgentPlaybooksBody, { playbook_status_filter: "maybe" }, "/playbook_status_filter"],
    [updateAgentPlaybookBody, { agent_playbook_id: 1, content: "\n" }, "/content"],
    [addUserPlaybookBody, { user_playbooks: [] }, "/user_playbooks"],
    [
      addUserPlaybookBody,
      { user_playbooks: [{ request_id: "r", content: "x" }] },
      "/user_playbooks/0/agent_version",
    ],
    [
      addUserPlaybookBody,
      { user_playbooks: [{ agent_version: "v", request_id: "r", content: "x".repeat(20_001) }] },
      "/user_playbooks/0/content",
    ],
  ])("name the fault of %#", (schema, body, pointer) => {
    expect(pointersOf(() => parseOrFail(schema, body))).toEqual([pointer]);
  });
});
