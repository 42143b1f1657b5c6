import { describe, expect, it } from "vitest";
import { createReasoner } from "../../../src/platform/reasoner";
import { type Reasoner, ReasonerError } from "../../../src/platform/reasoner/port";
import {
  createReplayReasoner,
  type Recordings,
  recording,
  recordingKey,
  recordingsSchema,
} from "../../../src/platform/reasoner/replay";
import { inputs, turn } from "./fixtures";

/** A reasoner that says true to the gate and counts its calls. */
function countingReasoner(): { reasoner: Reasoner; calls: () => number } {
  let calls = 0;
  const answer = { rawText: "true", model: "m", provider: "p", inputTokens: 3, outputTokens: 1 };
  const recordings: Recordings = {};
  const reasoner: Reasoner = {
    async run(task, input) {
      calls += 1;
      recordings[await recordingKey(task, input)] = { task, output: { shouldExtract: true }, ...answer };
      return createReplayReasoner(recordings).run(task, input);
    },
  };
  return { reasoner, calls: () => calls };
}

describe("recording and replaying", () => {
  it("gives the recorded answer again, without the reasoner that gave it", async () => {
    const { reasoner, calls } = countingReasoner();
    const recordings: Recordings = {};
    const recorder = recording(reasoner, (key, answer) => {
      recordings[key] = answer;
    });
    const first = await recorder.run("shouldExtract", inputs.shouldExtract);
    const stored = recordingsSchema.parse(JSON.parse(JSON.stringify(recordings)));
    const replayed = await createReplayReasoner(stored).run("shouldExtract", inputs.shouldExtract);
    expect(replayed).toEqual(first);
    expect(calls()).toBe(1);
  });

  it("misses clearly when anything of the prompt differs", async () => {
    const recordings: Recordings = {};
    await recording(countingReasoner().reasoner, (key, answer) => {
      recordings[key] = answer;
    }).run("shouldExtract", inputs.shouldExtract);
    const replay = createReplayReasoner(recordings);
    const other = { ...inputs.shouldExtract, turns: [turn("T1", "User", "Something else.")] };
    await expect(replay.run("shouldExtract", other)).rejects.toThrow(
      /no answer was recorded for shouldExtract, prompt [0-9a-f]{64}/,
    );
    await expect(replay.run("extract", inputs.extract)).rejects.toThrow(ReasonerError);
  });

  it("tells a repair from the first attempt, and one task from another over the same turns", async () => {
    const repair = { previousAnswer: "{}", problems: ["empty"] };
    const keys = await Promise.all([
      recordingKey("extract", inputs.extract),
      recordingKey("extract", { ...inputs.extract, repair }),
      recordingKey("shouldExtract", inputs.shouldExtract),
    ]);
    expect(new Set(keys).size).toBe(3);
  });

  it("refuses a recording that is no answer to its task", async () => {
    const key = await recordingKey("shouldExtract", inputs.shouldExtract);
    const bad = {
      task: "shouldExtract",
      output: { shouldExtract: "yes" },
      rawText: "",
      model: "m",
      provider: "p",
      inputTokens: 0,
      outputTokens: 0,
    };
    await expect(
      createReplayReasoner({ [key]: bad }).run("shouldExtract", inputs.shouldExtract),
    ).rejects.toMatchObject({ code: "invalid_recording" });
  });

  it("is what createReasoner gives for the replay adapter", async () => {
    const deps = {
      egress: () => Promise.reject(new Error("no network in a replay")),
      nonce: () => "unused0000",
    };
    const reasoner = createReasoner({ adapter: "replay", recordings: {} }, deps);
    await expect(reasoner.run("extract", inputs.extract)).rejects.toMatchObject({ code: "no_recording" });
  });
});
