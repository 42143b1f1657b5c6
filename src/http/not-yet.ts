/**
 * Routes of Reflexio's server that this one does not have yet. They are asked for by clients that know them, so they
 * answer what is missing and not that there is no such address. Data, not routes: the documentation shows what works.
 */
import { Failure } from "../platform/failure";

/** Parts of Reflexio that are missing. */
const LATER = {
  "profiles of users": [
    "POST /api/get_profiles",
    "GET /api/get_all_profiles",
    "POST /api/search_profiles",
    "POST /api/rerank_user_profiles",
    "POST /api/add_user_profile",
    "PUT /api/update_user_profile",
    "DELETE /api/delete_profile",
    "DELETE /api/delete_profiles_by_ids",
    "DELETE /api/delete_all_profiles",
    "GET /api/get_profile_statistics",
    "GET /api/profile_change_log",
    "POST /api/rerun_profile_generation",
    "POST /api/manual_profile_generation",
    "POST /api/upgrade_all_profiles",
    "POST /api/downgrade_all_profiles",
  ],
  "evaluation of agents": [
    "GET /healthz/eval",
    "POST /api/get_agent_success_evaluation_results",
    "POST /api/get_retrieved_learning_evaluation_results",
    "POST /api/get_evaluation_overview",
    "POST /api/evaluations/regenerate",
    "GET /api/evaluations/regenerate/{job_id}",
    "DELETE /api/evaluations/regenerate/{job_id}",
    "POST /api/evaluations/grade_on_demand",
    "GET /api/evaluations/shadow_comparisons/recent",
  ],
  "retrieval experiments": [
    "GET /api/retrieval_experiments",
    "POST /api/retrieval_experiments",
    "POST /api/retrieval_experiments/stop",
    "GET /api/retrieval_experiments/{experiment_id}/results",
  ],
  "clarification by people": [
    "GET /api/pending_tool_calls",
    "GET /api/pending_tool_calls/{pending_tool_call_id}",
    "POST /api/pending_tool_calls/{pending_tool_call_id}/resolve",
    "PATCH /api/pending_tool_calls/{pending_tool_call_id}/answer",
    "POST /api/pending_tool_calls/{pending_tool_call_id}/not_applicable",
    "POST /api/pending_tool_calls/{pending_tool_call_id}/cancel",
  ],
  // The client leaves out the prefix that the server's documentation has.
  "the stall state of learning": [
    "GET /api/stall_state",
    "POST /api/stall_state/notified",
    "GET /stall_state",
    "POST /stall_state/notified",
  ],
  "the Braintrust connector": [
    "POST /api/braintrust/connect",
    "POST /api/braintrust/select_projects",
    "GET /api/braintrust/status",
    "DELETE /api/braintrust/connection",
    "POST /api/braintrust/sync",
  ],
};

/** Every missing route as `METHOD /path`, with its area. */
export const laterRoutes: readonly { route: string; area: string }[] = Object.entries(LATER).flatMap(
  ([area, routes]) => routes.map((route) => ({ route, area })),
);

const patterns = laterRoutes.map(({ route, area }) => ({
  pattern: new RegExp(`^${route.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  area,
}));

/** The part of Reflexio that a call asks for, or null where no client of it would. */
export const laterArea = (method: string, path: string): string | null =>
  patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.area ?? null;

/** 501, because clients turn it into an exception that names the status; a 200 would look like an empty result. */
export const notYet = (area: string): Failure =>
  new Failure("not_implemented", `Not yet: this server has no ${area.replace(/^the /, "")} so far.`);
