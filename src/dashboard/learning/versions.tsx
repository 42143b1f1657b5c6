/** How aggregation stands, version by version, and the button that starts it. */
import { MAX_BACKLOG, type VersionOverview } from "../../aggregation/overview-store";
import { faultInWords } from "../fault-words";
import { Form } from "../fields";
import { Badge, grouped, hrefOf, Pager, Table, Time } from "../parts";
import { visible } from "../visible";
import type { Overview } from "./overview";

const counted = (count: number): string =>
  count >= MAX_BACKLOG ? `${grouped(MAX_BACKLOG)} or more` : grouped(count);

const State = ({ version, nowMs }: { version: VersionOverview; nowMs: number }) => (
  <>
    {version.isAtWork ? (
      <Badge tone="info">At work</Badge>
    ) : !version.isPending ? (
      <Badge tone="good">Nothing to do</Badge>
    ) : version.nextAttemptAtMs <= nowMs ? (
      <Badge tone="info">Due now</Badge>
    ) : (
      <>
        <Badge>Planned</Badge> <Time sec={Math.floor(version.nextAttemptAtMs / 1000)} />
      </>
    )}
    <p class="soft">
      {version.lastSuccessAt === null ? (
        "Never finished yet"
      ) : (
        <>
          Last success <Time sec={version.lastSuccessAt} />
        </>
      )}
    </p>
    {version.lastError === null ? null : (
      <p class="fault">Last failure: {visible(faultInWords(version.lastError))}</p>
    )}
  </>
);

const Start = ({ agentVersion }: { agentVersion: string }) => (
  <Form action="/desk/learning/aggregate" class="inline">
    <input type="hidden" name="agent_version" value={agentVersion} />
    <button type="submit" class="small" aria-label={`Aggregate now: ${visible(agentVersion)}`}>
      Aggregate now
    </button>
  </Form>
);

export const Versions = ({
  overview,
  nowMs,
  mayStart,
}: {
  overview: Overview;
  nowMs: number;
  mayStart: boolean;
}) => (
  <section aria-labelledby="versions-heading">
    <h2 id="versions-heading">From user playbooks to agent playbooks</h2>
    {overview.isAggregating ? null : (
      <div class="card notice warn">
        <p>Aggregation is switched off in this org's settings.</p>
      </div>
    )}
    {overview.versions.length === 0 ? (
      <div class="card">
        <p>
          No agent version has rules to merge yet. It appears here with the first rule that is learned from
          its users.
        </p>
      </div>
    ) : (
      <div class="card">
        <Table
          caption="Aggregation by agent version"
          rows={overview.versions}
          columns={[
            { heading: "Agent version", isText: true, cell: ({ agentVersion }) => visible(agentVersion) },
            { heading: "State", cell: (version) => <State version={version} nowMs={nowMs} /> },
            {
              heading: "New rules",
              isNumber: true,
              cell: ({ untouched, fresh }) => counted(untouched + fresh),
            },
            { heading: "Waiting", isNumber: true, cell: ({ waiting }) => counted(waiting) },
            {
              heading: "Clusters",
              isNumber: true,
              cell: ({ clusters, agentVersion }) => (
                <a href={hrefOf("/desk/clusters", { agent_version: agentVersion })}>{grouped(clusters)}</a>
              ),
            },
            ...(mayStart
              ? [
                  {
                    heading: "Start",
                    cell: ({ agentVersion }: VersionOverview) => <Start agentVersion={agentVersion} />,
                  },
                ]
              : []),
          ]}
        />
        <Pager
          older={
            overview.nextVersions === null
              ? undefined
              : hrefOf("/desk/learning", { versions_after: overview.nextVersions })
          }
        />
      </div>
    )}
  </section>
);
