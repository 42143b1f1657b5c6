/** Fields of search forms: a browser sends those that were left empty as empty texts. */
import * as z from "zod";

/** Absent where it is empty. */
export const orBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

/** Browsers send line ends of a text area as two characters. */
export const typedText = (maxChars: number) =>
  z
    .string({ error: "is missing" })
    .transform((text) => text.replaceAll("\r\n", "\n"))
    .pipe(z.string().max(maxChars));
