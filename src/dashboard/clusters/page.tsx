/** The page of clusters: a map of one agent version's rules, the clusters by name, and the same as a table. */
import type { Reply, RequestScope } from "../../http/route";
import type { ApprovalStatus } from "../../playbooks/model";
import { SelectField } from "../fields";
import { page } from "../frame";
import { Badge, Empty, grouped, hrefOf, plural, Table, Text, type Tone } from "../parts";
import { visible } from "../visible";
import { type ClusterMap, MAX_RULES, type MapRule, type NamedCluster } from "./map";
import { markOf } from "./marks";
import { isDrawn, LoneLegend, MarkSample, Plot } from "./plot";
import { standingOf } from "./words";

export interface ClustersPageProps {
  versions: readonly string[];
  /** Null where nobody taught a rule yet. */
  agentVersion: string | null;
  map: ClusterMap;
}

const toneOf: Record<ApprovalStatus, Tone> = { approved: "good", pending: "info", rejected: "bad" };

const VersionPicker = ({ versions, agentVersion }: { versions: readonly string[]; agentVersion: string }) => (
  <form method="get" action="/desk/clusters" class="filters">
    <SelectField
      name="agent_version"
      label="Agent version"
      value={agentVersion}
      options={[...new Set([...versions, agentVersion])].map((version) => ({
        value: version,
        label: visible(version).slice(0, 120),
      }))}
    />
    <button type="submit">Show</button>
  </form>
);

const Named = ({ clusters }: { clusters: readonly NamedCluster[] }) => (
  <Table
    caption="Clusters, the largest first"
    rows={clusters}
    columns={[
      {
        heading: "Cluster",
        cell: ({ number }) => (
          <span class="mark">
            <MarkSample mark={markOf(number - 1)} />
            {String(number)}
          </span>
        ),
      },
      {
        heading: "Its agent playbook",
        isText: true,
        cell: (cluster) => (
          <>
            <a href={hrefOf("/", { rule: cluster.agentPlaybookId })}>#{cluster.agentPlaybookId}</a> When{" "}
            <Text of={cluster.trigger.trim() === "" ? "always" : cluster.trigger} />
            <br />
            <span class="soft">
              Do <Text of={cluster.content} />
            </span>
          </>
        ),
      },
      { heading: "Status", cell: ({ approval }) => <Badge tone={toneOf[approval]}>{approval}</Badge> },
      { heading: "Rules", isNumber: true, cell: ({ members }) => grouped(members) },
      { heading: "Users", isNumber: true, cell: ({ users }) => grouped(users) },
    ]}
  />
);

const AllRules = ({ rules }: { rules: readonly MapRule[] }) => (
  <details id="rules">
    <summary>The same as a table: {plural(rules.length, "rule")}</summary>
    <Table
      caption="Rules of the map"
      rows={rules}
      columns={[
        {
          heading: "Rule",
          cell: ({ userPlaybookId }) => (
            <a href={hrefOf("/desk/user-playbooks", { id: userPlaybookId })}>#{userPlaybookId}</a>
          ),
        },
        {
          heading: "When",
          isText: true,
          cell: ({ trigger }) => visible(trigger.trim() === "" ? "always" : trigger),
        },
        { heading: "Do", isText: true, cell: ({ content }) => visible(content) },
        { heading: "Stands", isText: true, cell: standingOf },
      ]}
    />
  </details>
);

const Mapped = ({ map, agentVersion }: { map: ClusterMap; agentVersion: string }) => {
  const drawn = map.rules.filter(isDrawn);
  const undrawn = map.rules.length - drawn.length;
  return (
    <>
      <section class="card" aria-labelledby="map-heading">
        <h2 id="map-heading">
          {plural(map.rules.length, "rule")} in {plural(map.clusters.length + map.otherClusters, "cluster")}
        </h2>
        {map.isCut ? (
          <p class="soft">The newest {grouped(MAX_RULES)} rules are shown; this version has more.</p>
        ) : null}
        <a class="skip" href="#named">
          Skip the points
        </a>
        {drawn.length === 0 ? null : <Plot map={map} agentVersion={agentVersion} />}
        <LoneLegend
          lone={drawn.filter(({ cluster }) => cluster === null).length}
          other={drawn.filter(({ cluster }) => cluster === "other").length}
          clusters={map.otherClusters}
        />
        <p class="soft">
          Rules near to each other speak of like situations. The directions mean nothing by themselves: they
          are those in which the clusters differ most.
          {undrawn === 0
            ? ""
            : ` ${plural(undrawn, "rule")} cannot be drawn: no embedding of the present model yet, or no word that it knows.`}
        </p>
      </section>
      <section class="card" id="named" aria-labelledby="named-heading">
        <h2 id="named-heading">Clusters</h2>
        {map.clusters.length === 0 ? (
          <p class="soft">
            No cluster yet: one needs like rules of several users. Aggregation looks every hour;{" "}
            <a href="/desk/learning">start it now</a>.
          </p>
        ) : (
          <Named clusters={map.clusters} />
        )}
        <AllRules rules={map.rules} />
      </section>
    </>
  );
};

export const clustersPage = (
  scope: RequestScope,
  { versions, agentVersion, map }: ClustersPageProps,
): Reply =>
  page(scope, {
    title: "Clusters",
    current: "/desk/clusters",
    isWide: true,
    intro:
      "What several users taught of one situation comes together in a cluster, and one agent playbook speaks for each.",
    children:
      agentVersion === null ? (
        <Empty title="No rule was learned yet">
          <p>
            Publish conversations with <code>POST /api/publish_interaction</code>; what is learned from them
            appears here as points. <a href="/desk/learning">Learning</a> says how far it has come.
          </p>
        </Empty>
      ) : (
        <>
          <VersionPicker versions={versions} agentVersion={agentVersion} />
          {map.rules.length === 0 ? (
            <Empty title="This version has no current rule">
              <p>Choose another version above, or publish conversations of this one.</p>
            </Empty>
          ) : (
            <Mapped map={map} agentVersion={agentVersion} />
          )}
        </>
      ),
  });
