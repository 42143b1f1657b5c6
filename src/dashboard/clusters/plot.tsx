/** The map as a drawing: one mark per rule, one number per cluster; every mark leads to its rule. */
import { grouped, hrefOf, plural } from "../parts";
import { visible } from "../visible";
import { labelPlaceOf, PLOT_HEIGHT, PLOT_WIDTH, type Place } from "./layout";
import type { ClusterMap, MapRule } from "./map";
import { type Mark, markOf, outlines } from "./marks";
import { tipOf } from "./words";

const outlineId = (shape: number): string => `outline-${shape}`;
/** The first outline is a circle; rules without a cluster are small rings of it. */
const LONE: Mark = { shape: 0, colour: "lone" };
const OTHER: Mark = { shape: 0, colour: "other" };

const markOfRule = ({ cluster }: MapRule): Mark =>
  cluster === null ? LONE : cluster === "other" ? OTHER : markOf(cluster.number - 1);

/** A mark by itself, for legends; the number beside it says the same. */
export const MarkSample = ({ mark }: { mark: Mark }) => (
  <svg class="chart sample" width="18" height="18" viewBox="-9 -9 18 18" aria-hidden="true" focusable="false">
    <path class={mark.colour} d={outlines[mark.shape]} />
  </svg>
);

/** Whether the rule has been drawn. */
export const isDrawn = (rule: MapRule): rule is MapRule & { place: Place } => rule.place !== null;

const Point = ({ rule }: { rule: MapRule & { place: Place } }) => {
  const { shape, colour } = markOfRule(rule);
  return (
    <a href={hrefOf("/desk/user-playbooks", { id: rule.userPlaybookId })} data-tip="">
      <title>{visible(tipOf(rule))}</title>
      <use href={`#${outlineId(shape)}`} class={colour} x={String(rule.place.x)} y={String(rule.place.y)} />
    </a>
  );
};

const Numbers = ({ map }: { map: ClusterMap }) => (
  <g>
    {map.clusters.map((cluster) => {
      const places = map.rules.filter((rule) => rule.cluster === cluster).filter(isDrawn);
      if (places.length === 0) return null;
      const { x, y } = labelPlaceOf(places.map(({ place }) => place));
      return (
        <text class="number-label" x={String(x)} y={String(y)} text-anchor="middle">
          {String(cluster.number)}
        </text>
      );
    })}
  </g>
);

export const Plot = ({ map, agentVersion }: { map: ClusterMap; agentVersion: string }) => {
  const drawn = map.rules.filter(isDrawn);
  const lone = drawn.filter(({ cluster }) => cluster === null).length;
  return (
    <section class="scroll" aria-label="Map of the rules" tabindex={0}>
      <svg
        class="chart plot"
        viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
        aria-labelledby="plot-title"
        aria-describedby="plot-desc"
      >
        <title id="plot-title">{`Rules of ${visible(agentVersion)}, by likeness of their situations`}</title>
        <desc id="plot-desc">
          {`${plural(drawn.length, "rule")}, ${grouped(drawn.length - lone)} of them in ${plural(
            map.clusters.length + map.otherClusters,
            "cluster",
          )}. Every point is a link to its rule. The table below holds the same.`}
        </desc>
        <defs>
          {outlines.map((outline, shape) => (
            <path id={outlineId(shape)} d={outline} />
          ))}
        </defs>
        <rect class="ground" width={String(PLOT_WIDTH)} height={String(PLOT_HEIGHT)} rx="10" />
        {/* Rules in no cluster lie beneath the others. */}
        {[...drawn].reverse().map((rule) => (
          <Point rule={rule} />
        ))}
        <Numbers map={map} />
      </svg>
    </section>
  );
};

/** The grey marks: what they stand for. */
export const LoneLegend = ({ lone, other, clusters }: { lone: number; other: number; clusters: number }) => (
  <ul class="legend">
    {lone === 0 ? null : (
      <li>
        <MarkSample mark={LONE} />
        {plural(lone, "rule")} in no cluster
      </li>
    )}
    {other === 0 ? null : (
      <li>
        <MarkSample mark={OTHER} />
        {plural(other, "rule")} in {plural(clusters, "smaller cluster")}
      </li>
    )}
  </ul>
);
