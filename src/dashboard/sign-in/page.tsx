/** The sign-in page: one field for a key. */
import type { Reply, RequestScope } from "../../http/route";
import { Form, TextField } from "../fields";
import { lonePage } from "../frame";

export interface SignInProps {
  /** The page to go on to, a path of this desk. */
  next: string;
  fault?: string;
  notice?: string;
}

export const signInPage = (scope: RequestScope, { next, fault, notice }: SignInProps): Reply =>
  lonePage(scope, {
    title: "Sign in",
    status: fault === undefined ? 200 : 422,
    children: (
      <>
        <h1>Sign in to the review desk</h1>
        <p class="soft">
          With an API key of your org. It is exchanged for a cookie of this browser that lasts a week and ends
          with the key.
        </p>
        {notice === undefined ? null : (
          <div class="card notice" role="status">
            <p>{notice}</p>
          </div>
        )}
        <Form action="/sign-in" class="card">
          <input type="hidden" name="next" value={next} />
          <TextField
            name="key"
            label="API key"
            type="password"
            autocomplete="current-password"
            placeholder="pm_…"
            hint="A key with the role reviewer or owner can decide on rules; every other key can look."
            fault={fault}
            required
          />
          <button type="submit" class="main">
            Sign in
          </button>
        </Form>
      </>
    ),
  });
