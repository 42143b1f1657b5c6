/** What the schemas of documents are built from. */
import * as z from "zod";
import type { Json, JsonObject } from "../model";
import { PATTERNS } from "../spec";

/** What the published JSON Schema says beside the shape; the validator has passes for it. */
export interface Form {
  description?: string;
  /** Unknown members are faults here, other than `x-…`. */
  isClosed?: true;
  pattern?: string;
  anyOf?: { required: string[] }[];
  oneOf?: { required: string[] }[];
  dependentRequired?: Record<string, string[]>;
}
export const FORMS = z.registry<Form>();

export const text = () => z.string();
export const word = () => z.string().min(1);
export const texts = () => z.array(z.string());
export const words = () => z.array(word());
/** Not only blanks. */
export const prose = () => z.string().regex(PATTERNS.prose);
export const flag = () => z.boolean().exactOptional();
export const count = (least: number, most: number = Number.MAX_SAFE_INTEGER) => z.int().min(least).max(most);
/** Any JSON: templates, payloads, values of filters. */
export const json = () => z.custom<Json>();
export const object = () => z.record(z.string(), z.custom<Json>());
/** A JSON Schema of the user's; `user-schema/` looks inside. */
export const userSchema = (): z.ZodType<JsonObject> => object();
/** Read by `text/duration.ts`, which tells malformed from out of range. */
export const duration = () =>
  z.string().register(FORMS, {
    description: "Elapsed time: 90s, 1h30m, 7d. ISO 8601 without months and years is read, too.",
    pattern:
      "^(?=.)(?:\\d+w)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?$|^P(?=.)(?:\\d+W|(?:\\d+D)?(?:T(?=\\d)(?:\\d+H)?(?:\\d+M)?(?:\\d+S)?)?)$",
  });
/** An object of which every member must be known, since an unknown one may be meant to protect. */
export const closed = <Shape extends z.core.$ZodLooseShape>(shape: Shape, form: Form = {}) =>
  z.strictObject(shape).register(FORMS, { ...form, isClosed: true });
export const permission = () => z.string().regex(PATTERNS.permission);
