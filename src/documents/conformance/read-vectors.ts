/** Reads vector files: what is a vector, and what is wrong with what is none. */
import * as z from "zod";
import type { Json } from "../model";
import { readJson } from "../text/read-json";
import { type BrokenVector, type LoadedVector, VECTOR_GROUPS, vectorSchema } from "./vector";

export interface VectorFile {
  file: string;
  folder: string;
  text: string;
}

export type VectorReading = { ok: true; loaded: LoadedVector } | { ok: false; broken: BrokenVector };

export function readVector({ file, folder, text }: VectorFile): VectorReading {
  const reading = readJson(text);
  const broken = (faults: string[]): VectorReading => ({
    ok: false,
    broken: { file, folder, ...identityOf(reading.value, file), faults },
  });
  if (reading.value === undefined || reading.faults.length > 0) {
    const faults = reading.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
    return broken(faults.length > 0 ? faults : ["It is not JSON."]);
  }
  if (reading.duplicates.length > 0) {
    return broken(
      reading.duplicates.map(({ line, column, pointer }) => `${line}:${column} ${pointer} stands twice.`),
    );
  }
  const parsed = vectorSchema.safeParse(reading.value);
  if (!parsed.success) return broken(faultsOf(parsed.error));
  return { ok: true, loaded: { file, folder, vector: parsed.data } };
}

const faultsOf = (error: z.ZodError): string[] =>
  error.issues.map(
    (issue) => `${issue.path.map((key) => `/${String(key)}`).join("") || "/"}: ${issue.message}`,
  );

const identitySchema = z.object({
  vector: z.string().catch(""),
  level: z.literal([1, 2, 3]).catch(1),
  group: z.enum(["valid", "invalid", "runtime", "triggers"]).nullable().catch(null),
});

/** A vector that does not even say its level counts against the first. */
function identityOf(value: Json | undefined, file: string): Pick<BrokenVector, "name" | "level" | "group"> {
  const read = identitySchema.safeParse(value);
  if (!read.success) return { name: file, level: 1, group: null };
  const { vector, level, group } = read.data;
  return {
    name: vector === "" ? file : vector,
    level,
    group: VECTOR_GROUPS.find((known) => known === group) ?? null,
  };
}
