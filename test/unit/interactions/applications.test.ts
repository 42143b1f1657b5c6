import { describe, expect, it } from "vitest";
import { citedRules, MAX_APPLICATIONS } from "../../../src/interactions/applications";
import { turnSchema } from "../../../src/interactions/model";

const turn = (...citations: object[]) => turnSchema.parse({ content: "Done.", citations });

describe("the rules that turns cite", () => {
  it("are both kinds, by place and id, each once a turn", () => {
    const first = turn(
      { kind: "agent_playbook", real_id: "12" },
      { kind: "user_playbook", real_id: 12 },
      { kind: "agent_playbook", real_id: "12", title: "again" },
    );
    expect(citedRules([first, turn(), turn({ kind: "agent_playbook", real_id: "12" })])).toEqual([
      { ordinal: 0, kind: "agent_playbook", id: 12 },
      { ordinal: 0, kind: "user_playbook", id: 12 },
      { ordinal: 2, kind: "agent_playbook", id: 12 },
    ]);
  });

  it("of the old kind are those whose tag tells which they are", () => {
    expect(
      citedRules([
        turn(
          { kind: "playbook", real_id: "3", tag: "ap-3" },
          { kind: "playbook", real_id: "4", tag: "up-4" },
          { kind: "playbook", real_id: "5", tag: "ap-6" },
          { kind: "playbook", real_id: "7" },
        ),
      ]),
    ).toEqual([
      { ordinal: 0, kind: "agent_playbook", id: 3 },
      { ordinal: 0, kind: "user_playbook", id: 4 },
    ]);
  });

  it.each(["", "0", "-1", "1.5", "1e3", " 1", "01", "0x1", "9".repeat(16), "seven", "1; DROP TABLE orgs"])(
    "are none of ours by the id %j",
    (real_id) => {
      expect(citedRules([turn({ kind: "agent_playbook", real_id })])).toEqual([]);
    },
  );

  it("are no profiles, and nothing that was only retrieved", () => {
    const shown = turnSchema.parse({
      content: "Done.",
      citations: [{ kind: "profile", real_id: "1" }],
      retrieved_learnings: [{ kind: "agent_playbook", learning_id: "1" }],
    });
    expect(citedRules([shown])).toEqual([]);
  });

  it("are bounded a call", () => {
    const many = Array.from({ length: 3 }, (_, at) =>
      turn(
        ...Array.from({ length: 500 }, (_each, id) => ({
          kind: "user_playbook",
          real_id: at * 500 + id + 1,
        })),
      ),
    );
    expect(citedRules(many)).toHaveLength(MAX_APPLICATIONS);
  });
});
