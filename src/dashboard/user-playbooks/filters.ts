/** What the list of user playbooks can be narrowed by, and the addresses that keep it. */
import * as z from "zod";
import { flags } from "../../playbooks/model";
import { lifecycleViews } from "../../playbooks/user-list-store";
import { orBlank } from "../blanks";
import { rowId } from "../html";
import { hrefOf } from "../parts";

export const PATH = "/desk/user-playbooks";

const MAX_NAME_CHARS = 1_000;

export const filterShape = {
  version: orBlank(z.string().max(MAX_NAME_CHARS)),
  user: orBlank(z.string().max(MAX_NAME_CHARS)),
  status: z.enum(lifecycleViews).default("kept"),
  flag: orBlank(z.enum(["any", ...flags])),
  q: orBlank(z.string().max(MAX_NAME_CHARS)),
  before: rowId.optional(),
};

export type Filters = z.output<z.ZodObject<typeof filterShape>>;

export const isNarrowed = ({ version, user, status, flag, q }: Filters): boolean =>
  status !== "kept" || [version, user, flag, q].some((value) => value !== undefined);

/** The list with the same filter, from another place. */
export const listHref = (filters: Filters, before?: number): string =>
  hrefOf(PATH, {
    version: filters.version,
    user: filters.user,
    status: filters.status === "kept" ? undefined : filters.status,
    flag: filters.flag,
    q: filters.q,
    before,
  });

export const ruleHref = (userPlaybookId: number): string => hrefOf(PATH, { id: userPlaybookId });
