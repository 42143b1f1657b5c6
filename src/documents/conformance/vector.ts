/**
 * The format of conformance vectors (section d.1, "The format, exactly", with the rulings), read strictly: a key, a
 * script step or a group that is not of the format makes the vector broken.
 */
import * as z from "zod";
import { harnessSchema, scriptStepSchema, startSchema } from "../host/script";
import type { Json } from "../model";
import { patchOperationSchema } from "./json-patch";

const json = z.custom<Json>((value) => value !== undefined, "expected a JSON value");
const count = z.int().min(0);
const entries = z.array(z.string().min(1));

/** By its name or, where it is a text, one vector's document under another's patch. */
export const patchedSchema = z.strictObject({
  base: z.string().min(1),
  patch: z.array(patchOperationSchema).default([]),
});

const SEVERITY = { error: "error", err: "error", warning: "warning", warn: "warning" } as const;

const findingSchema = z.strictObject({
  code: z.string().regex(/^[A-Z]\d{3}$/, "expected a code such as G502"),
  /** Absent: every finding of that code. */
  path: z.string().exactOptional(),
  severity: z
    .enum(["error", "err", "warning", "warn"])
    .transform((name) => SEVERITY[name])
    .exactOptional(),
  cycle: z.array(z.string()).exactOptional(),
  /** Stands in the hint or the message. */
  hint: z.string().exactOptional(),
});
export type FindingExpectation = z.output<typeof findingSchema>;

const documentExpectation = {
  findings: z.array(findingSchema).exactOptional(),
  roundTrip: z.boolean().exactOptional(),
};

const runExpectation = {
  status: z.string().nullable().exactOptional(),
  reasonCode: z.string().nullable().exactOptional(),
  reason: z.string().nullable().exactOptional(),
  terminatorId: z.string().nullable().exactOptional(),
  spentMicroCents: z.union([count, z.strictObject({ max: count })]).exactOptional(),
  activeMs: count.exactOptional(),
  trace: entries.exactOptional(),
  traceExact: z.boolean().exactOptional(),
  never: entries.exactOptional(),
  outputs: z.record(z.string(), json).exactOptional(),
  artifacts: z.record(z.string(), z.array(z.strictObject({ type: z.string(), body: json }))).exactOptional(),
  toolCalls: z.array(z.strictObject({ tool: z.string(), input: json.exactOptional() })).exactOptional(),
  attempts: z.record(z.string(), count).exactOptional(),
  maxInFlight: z.record(z.string(), count).exactOptional(),
  conditionEvaluations: z.record(z.string(), count).exactOptional(),
  runs: count.exactOptional(),
  runStatuses: z.array(z.string()).exactOptional(),
};
const runExpectationSchema = z.strictObject(runExpectation);

const hostExpectation = { hostTrace: entries.exactOptional() };

/** `findings` of the documents and, when it has a `start`, what is expected of the run. */
const common = {
  vector: z.string().min(1),
  level: z.literal([1, 2, 3]),
  describes: z.string().exactOptional(),
  document: json.exactOptional(),
  documents: z.array(json).min(1).exactOptional(),
  harness: harnessSchema.prefault({}),
  script: z.array(scriptStepSchema).default([]),
};

const documentVector = {
  ...common,
  start: startSchema.exactOptional(),
  roundTrip: z.boolean().exactOptional(),
  expect: z.strictObject({ ...documentExpectation, ...runExpectation }).prefault({}),
};

export const vectorSchema = z
  .discriminatedUnion("group", [
    z.strictObject({ group: z.literal("valid"), ...documentVector }),
    z.strictObject({ group: z.literal("invalid"), ...documentVector }),
    z.strictObject({
      group: z.literal("runtime"),
      ...common,
      start: startSchema,
      expect: runExpectationSchema,
    }),
    z.strictObject({
      group: z.literal("triggers"),
      ...common,
      start: startSchema,
      expect: runExpectationSchema.extend(hostExpectation),
    }),
  ])
  .refine(
    (vector) => (vector.document === undefined) !== (vector.documents === undefined),
    "expected either `document` or `documents`",
  )
  .refine(
    ({ expect }) => expect.traceExact !== true || expect.trace !== undefined,
    "`traceExact` says something about `trace`, which is missing",
  )
  .refine(
    (vector) => vector.group !== "invalid" || (vector.expect.findings ?? []).length > 0,
    "an invalid document has at least one entry in `expect.findings`",
  )
  .refine(
    (vector) =>
      vector.group === "runtime" ||
      vector.group === "triggers" ||
      vector.start !== undefined ||
      Object.keys(vector.expect).every((key) => key in documentExpectation),
    "`expect` speaks of a run, and without `start` there is none",
  );
export type Vector = z.output<typeof vectorSchema>;
export type VectorGroup = Vector["group"];
export type RunExpectation = z.output<typeof runExpectationSchema> & { hostTrace?: string[] };
export const VECTOR_GROUPS: readonly VectorGroup[] = ["valid", "invalid", "runtime", "triggers"];

/** A vector that could be read, with the file that it stands in. */
export interface LoadedVector {
  file: string;
  /** Which of the given folders it comes from. */
  folder: string;
  vector: Vector;
}

/** A file that is no vector; it counts as a failure. */
export interface BrokenVector {
  file: string;
  folder: string;
  /** As far as they could be read. */
  name: string;
  level: 1 | 2 | 3;
  group: VectorGroup | null;
  faults: string[];
}
