/** The API by what somebody wants to do with it. Tags belong to jobs; a few routes to another one than their tag. */
import type { Route } from "../../http/route";

export interface Job {
  id: string;
  title: string;
  intro: string;
}

export const JOBS: readonly Job[] = [
  {
    id: "publish",
    title: "Publish conversations",
    intro:
      "Send what was said, turn by turn. The answer comes after the write; learning follows by itself as soon as enough new turns are there.",
  },
  {
    id: "serve",
    title: "Serve rules into prompts",
    intro:
      "Ask for the rules of an agent version before the agent answers, put the block into its prompt, and say afterwards whether they helped.",
  },
  { id: "search", title: "Search", intro: "Find rules and turns by words and by meaning." },
  {
    id: "review",
    title: "Review and edit rules",
    intro:
      "What was learned, with the turns that prove it; approving, editing, taking back, and withdrawing what should never have been learned from.",
  },
  {
    id: "operate",
    title: "Aggregate and operate",
    intro:
      "Merging what several users taught, what was given up, what it cost, and whether the service answers.",
  },
  {
    id: "documents",
    title: "Check playbook documents",
    intro:
      "OpenPlaybook files: everything that is wrong with one, their JSON Schema, and what is accepted here.",
  },
  {
    id: "setup",
    title: "Keys, settings and webhooks",
    intro: "Who may call, how the org learns, and where it is told what happened.",
  },
];

const jobOfTag: Readonly<Record<string, string>> = {
  Interactions: "publish",
  "Uses of rules": "serve",
  Search: "search",
  "User playbooks": "review",
  "Agent playbooks": "review",
  Revocations: "review",
  Erasure: "operate",
  Aggregation: "operate",
  Operations: "operate",
  Service: "operate",
  OpenPlaybook: "documents",
  "Orgs and keys": "setup",
  Config: "setup",
  Webhook: "setup",
};

const jobOfPath: Readonly<Record<string, string>> = {
  "/api/context": "serve",
  "/api/rebuild_vector_index": "operate",
};

/** Routes that a job is about; they stand first in it. */
const LEADING = ["/api/context", "/api/search"];

/** Routes in the order in which a job tells of them. */
export const inTellingOrder = (routes: readonly Route[]): Route[] => {
  const placeOf = ({ path }: Route) => (LEADING.includes(path) ? 0 : 1);
  return [...routes].sort((left, right) => placeOf(left) - placeOf(right));
};

/** The id of a route's job, or undefined for a tag that belongs to none. */
export function jobOf({ path, tag }: Pick<Route, "path" | "tag">): string | undefined {
  if (Object.hasOwn(jobOfPath, path)) return jobOfPath[path];
  return Object.hasOwn(jobOfTag, tag) ? jobOfTag[tag] : undefined;
}
