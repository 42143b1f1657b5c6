/** The page of learning: what moves, what waits, what fails. */
import type { Reply, RequestScope } from "../../http/route";
import { page } from "../frame";
import { Notice } from "../parts";
import { Again } from "./again";
import { Operations } from "./operations";
import type { Overview } from "./overview";
import { Streams } from "./streams";
import { Versions } from "./versions";

/** What the button did, in closed words. */
export const startOutcomes = [
  "started",
  "not_configured",
  "cluster_size",
  "too_few",
  "cap_exceeded",
] as const;
export type StartOutcome = (typeof startOutcomes)[number];

const outcomeText: Record<StartOutcome, string> = {
  started: "The aggregation has started; its progress is shown under Operations.",
  not_configured: "Not started: aggregation is switched off in this org's settings.",
  cluster_size: "Not started: min_cluster_size is below 2 in this org's settings.",
  too_few: "Not started: this version has fewer user playbooks than an aggregation needs.",
  cap_exceeded: "Not started: this version has more user playbooks than one rebuild may hold.",
};

const REFRESH_SECONDS = "3";

export const learningPage = (
  scope: RequestScope,
  { overview, done }: { overview: Overview; done: StartOutcome | null },
): Reply =>
  page(scope, {
    title: "Learning",
    current: "/desk/learning",
    isWide: true,
    intro:
      "How far learning from conversations has come, how the rules of each agent version are merged, and what became of what somebody asked for.",
    children: (
      <>
        {done === null ? null : (
          <Notice>
            <p>{outcomeText[done]}</p>
          </Notice>
        )}
        <div id="progress" class="sections" data-refresh={overview.isMoving ? REFRESH_SECONDS : undefined}>
          <Streams overview={overview} />
          <Versions
            overview={overview}
            nowMs={scope.services.clock.nowMs()}
            mayStart={scope.principal.scopes.includes("write")}
          />
          <Operations overview={overview} />
          <Again overview={overview} />
        </div>
      </>
    ),
  });
