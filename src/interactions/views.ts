/** What callers see of requests and turns. Pure. */
import * as z from "zod";
import { detailsSchema } from "./model";

export const interactionView = z.object({
  interaction_id: z.int(),
  user_id: z.string(),
  request_id: z.string(),
  created_at: z.int(),
  role: z.string(),
  content: z.string(),
  ...detailsSchema.shape,
});
export type InteractionView = z.output<typeof interactionView>;

export const requestView = z.object({
  request_id: z.string(),
  user_id: z.string(),
  created_at: z.int(),
  source: z.string(),
  agent_version: z.string(),
  session_id: z.string(),
  evaluation_only: z.boolean(),
  retrieval_experiment_id: z.string().nullable(),
  retrieval_experiment_arm: z.string().nullable(),
});
export type RequestView = z.output<typeof requestView>;

export const sessionView = z.object({
  session_id: z.string(),
  requests: z.array(z.object({ request: requestView, interactions: z.array(interactionView) })),
});
export type SessionView = z.output<typeof sessionView>;

const interactionColumns = z.object({
  interaction_id: z.int(),
  user_id: z.string(),
  request_id: z.string(),
  created_at: z.int(),
  role: z.string(),
  content: z.string(),
  details: z.string(),
});

/** A row of `interactions` as its view. */
export const interactionRow = interactionColumns.transform(
  ({ details, ...columns }): InteractionView => ({ ...columns, ...detailsSchema.parse(JSON.parse(details)) }),
);

/** A row of `requests` as its view. */
export const requestRow = z
  .object({
    request_id: z.string(),
    user_id: z.string(),
    created_at: z.int(),
    source: z.string(),
    agent_version: z.string(),
    session_id: z.string(),
    evaluation_only: z.int(),
    experiment_id: z.string().nullable(),
    experiment_arm: z.string().nullable(),
  })
  .transform(
    ({ evaluation_only, experiment_id, experiment_arm, ...columns }): RequestView => ({
      ...columns,
      evaluation_only: evaluation_only === 1,
      retrieval_experiment_id: experiment_id,
      retrieval_experiment_arm: experiment_arm,
    }),
  );

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Groups turns under their requests and requests under their sessions, keeping the given orders. */
export function groupSessions(
  sessionIds: readonly string[],
  requests: readonly RequestView[],
  interactions: readonly InteractionView[],
): SessionView[] {
  const byRequest = groupBy(interactions, ({ request_id }) => request_id);
  const bySession = groupBy(requests, ({ session_id }) => session_id);
  return sessionIds.map((session_id) => ({
    session_id,
    requests: (bySession.get(session_id) ?? []).map((request) => ({
      request,
      interactions: byRequest.get(request.request_id) ?? [],
    })),
  }));
}
