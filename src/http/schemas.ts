/** Pieces of request schemas that several features share. `null` means absent, as Reflexio's client sends it. */
import * as z from "zod";

/** An ISO 8601 date, or date and time; without a zone it is UTC. Milliseconds since the epoch. */
export const instantMs = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: "must be an ISO 8601 date and time",
  })
  .transform((text) => {
    const hasZone = text.length === 10 || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
    return Date.parse(hasZone ? text : `${text}Z`);
  });

/** Stored times are whole seconds; bounds are inclusive at that resolution. */
export const secondOf = (ms: number | null | undefined): number | undefined =>
  ms == null ? undefined : Math.floor(ms / 1000);

interface TimeRange {
  start_time?: number | null | undefined;
  end_time?: number | null | undefined;
}

/** Refuses a range whose end is not after its start (specification 2). */
export const ordered = <Schema extends z.ZodType<TimeRange>>(schema: Schema) =>
  schema.refine(
    ({ start_time, end_time }) => start_time == null || end_time == null || end_time > start_time,
    {
      path: ["end_time"],
      error: "must be later than start_time",
      params: { expected: "an instant after start_time" },
    },
  );
