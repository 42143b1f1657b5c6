/** The form that names what to revoke, as it is typed and as it is meant. */
import * as z from "zod";
import { identifier } from "../../interactions/model";
import { type RevocationTarget, revocationKinds, targetBody, targetOf } from "../../revocations/model";

/** Numbers with commas, spaces or line ends between them. */
const turnList = z
  .string()
  .max(20_000)
  .transform((text) => text.split(/[\s,;]+/).filter((part) => part !== ""))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^[1-9]\d{0,14}$/, { error: "holds something that is no number of a turn" })
        .transform(Number),
    ),
  );

export const targetFields = {
  kind: z.enum(revocationKinds, { error: "Choose what to revoke." }),
  user_id: identifier,
  interaction_ids: turnList.default([]),
};

type TargetFields = z.output<z.ZodObject<typeof targetFields>>;

/** @returns null where turns are meant and none, or more than a revocation takes, are named */
export function targetOfForm({ kind, user_id, interaction_ids }: TargetFields): RevocationTarget | null {
  const parsed = targetBody.safeParse(
    kind === "user" ? { kind, user_id } : { kind, user_id, interaction_ids },
  );
  return parsed.success ? targetOf(parsed.data) : null;
}

/** What the fields hold, for showing them again. */
export interface TypedTarget {
  kind?: string | undefined;
  user_id?: string | undefined;
  interaction_ids?: string | undefined;
  reason?: string | undefined;
}
