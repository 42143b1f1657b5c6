/** The schemas describe exactly the types that the rest of the code works with. */
import { describe, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type {
  Filter,
  Guardrails,
  ItemStep,
  Json,
  PlaybookDocument,
  Step,
  Trigger,
} from "../../../../src/documents/model";
import type {
  documentSchema,
  filterSchema,
  guardrailsSchema,
  itemStepSchema,
  stepSchema,
  triggerSchema,
} from "../../../../src/documents/schema";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Interfaces, intersections and `Omit` as plain members, so that only members count. */
type Plain<T> =
  Same<T, Json> extends true
    ? Json
    : T extends (infer Element)[]
      ? Plain<Element>[]
      : T extends object
        ? { [Key in keyof T]: Plain<T[Key]> }
        : T;
type Equal<A, B> = Same<Plain<A>, Plain<B>>;

describe("the types of schemas and model", () => {
  it("are the same for whole documents and for every part", () => {
    expectTypeOf<Equal<z.infer<typeof filterSchema>, Filter>>().toEqualTypeOf<true>();
    expectTypeOf<Equal<z.infer<typeof guardrailsSchema>, Guardrails>>().toEqualTypeOf<true>();
    expectTypeOf<Equal<z.infer<typeof itemStepSchema>, ItemStep>>().toEqualTypeOf<true>();
    expectTypeOf<Equal<z.infer<typeof stepSchema>, Step>>().toEqualTypeOf<true>();
    expectTypeOf<Equal<z.infer<typeof triggerSchema>, Trigger>>().toEqualTypeOf<true>();
    expectTypeOf<Equal<z.infer<typeof documentSchema>, PlaybookDocument>>().toEqualTypeOf<true>();
  });

  it("would differ for a member that is optional in one of them only", () => {
    expectTypeOf<Equal<{ a: string }, { a?: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Equal<{ a?: string }, { a?: string | undefined }>>().toEqualTypeOf<false>();
    expectTypeOf<Equal<{ a: Json }, { a: string }>>().toEqualTypeOf<false>();
  });
});
