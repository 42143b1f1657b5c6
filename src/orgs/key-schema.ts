/** What the parts of a key may look like, for the API and for the desk's form. */
import * as z from "zod";

export const keyName = z.string().trim().min(1, { error: "must not be blank" }).max(200);

export const principalId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/, {
  error: "1 to 128 letters, digits, dots, dashes, underscores or @",
});

/** How long a key may live, in days. */
export const MAX_KEY_DAYS = 3_650;
