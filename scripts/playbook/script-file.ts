/** The script of a simulation, as a file holds it: `start`, `harness`, `script`; a whole vector will do. */
import * as z from "zod";
import { type Simulation, simulationSchema } from "../../src/documents/host/script";
import { pointerOf } from "../../src/documents/text/pointer";
import { readJsonFile, UnreadableFile } from "./source";

const vector = z.looseObject({
  vector: z.string(),
  start: z.unknown(),
  harness: z.unknown().optional(),
  script: z.unknown().optional(),
});

/** @throws UnreadableFile that names every fault by JSON pointer */
export function readScript(path: string): Simulation {
  const value = readJsonFile(path);
  const whole = vector.safeParse(value);
  const { start, harness, script } = whole.success ? whole.data : {};
  const parts = {
    start,
    ...(harness !== undefined && { harness }),
    ...(script !== undefined && { script }),
  };
  const parsed = simulationSchema.safeParse(whole.success ? parts : value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `  ${pointerOf(issue.path.map(String)) || "/"}: ${issue.message}`,
  );
  throw new UnreadableFile(`${path} is no script:\n${faults.join("\n")}`);
}
