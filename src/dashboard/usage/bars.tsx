/** Bars by day, stacked by kind of work: told apart by colour, by texture and by their order. */
import { scaleBand, scaleLinear } from "d3-scale";
import { visible } from "../visible";
import { shortDay } from "./figures";
import { type Segment, type WorkKind, workKinds } from "./series";

const WIDTH = 420;
const HEIGHT = 200;
const LEFT = 46;
const TOP = 10;
const BOTTOM = 174;
/** Labels below the axis have room for so many. */
const MAX_LABELS = 6;
const TICKS = 4;

/** A class of the stylesheet. */
export const colourOf = (kind: WorkKind): string => `s${workKinds.indexOf(kind) + 1}`;

/** Lines and dots over the colours, by kind; the first is plain. */
const textures: Partial<Record<WorkKind, { size: number; outline: string }>> = {
  extraction: { size: 6, outline: "M-1,7 L7,-1 M-1,1 L1,-1 M5,7 L7,5" },
  review: { size: 6, outline: "M0,3 H6" },
  consolidation: { size: 6, outline: "M3,0 V6" },
  synthesis: { size: 6, outline: "M-1,-1 L7,7 M5,-1 L7,1 M-1,5 L1,7" },
  other: { size: 6, outline: "M0,3 H6 M3,0 V6" },
};
const textureId = (kind: WorkKind): string => `texture-${kind}`;

/** The textures of every chart and legend of the page. */
export const Textures = () => (
  <svg class="visually-hidden" width="1" height="1" aria-hidden="true" focusable="false">
    <defs>
      {workKinds.map((kind) => {
        const texture = textures[kind];
        return texture === undefined ? null : (
          <pattern
            id={textureId(kind)}
            width={String(texture.size)}
            height={String(texture.size)}
            patternUnits="userSpaceOnUse"
          >
            <path class="texture" d={texture.outline} />
          </pattern>
        );
      })}
    </defs>
  </svg>
);

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;
const attributesOf = ({ x, y, width, height }: Box) => ({
  x: String(round(x)),
  y: String(round(y)),
  width: String(round(width)),
  height: String(round(height)),
});

const Bar = ({ box, kind }: { box: Box; kind: WorkKind }) => (
  <>
    <rect class={colourOf(kind)} {...attributesOf(box)} />
    {textures[kind] === undefined ? null : <rect fill={`url(#${textureId(kind)})`} {...attributesOf(box)} />}
  </>
);

export const KindSample = ({ kind }: { kind: WorkKind }) => (
  <svg class="chart sample" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <Bar box={{ x: 1, y: 1, width: 14, height: 14 }} kind={kind} />
  </svg>
);

export interface BarsProps {
  /** Makes ids on the page unique. */
  id: string;
  title: string;
  /** The chart in one sentence, for those who do not see it. */
  description: string;
  days: readonly string[];
  segments: readonly Segment[];
  /** The words of a value on the axis. */
  format(value: number): string;
  /** What pointing at a day says. */
  tips: readonly string[];
}

export const Bars = ({ id, title, description, days, segments, format, tips }: BarsProps) => {
  const most = segments.reduce((top, { to }) => Math.max(top, to), 0);
  const up = scaleLinear([0, most === 0 ? 1 : most], [BOTTOM, TOP]).nice(TICKS);
  const across = scaleBand(
    days.map((_, position) => position),
    [LEFT, WIDTH],
  ).padding(days.length > 40 ? 0.15 : 0.25);
  const every = Math.ceil(days.length / MAX_LABELS);
  return (
    <svg
      class="chart bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-desc`}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-desc`}>{description}</desc>
      {up.ticks(TICKS).map((tick) => (
        <>
          <line
            class="gridline"
            x1={String(LEFT)}
            x2={String(WIDTH)}
            y1={String(round(up(tick)))}
            y2={String(round(up(tick)))}
          />
          <text x={String(LEFT - 8)} y={String(round(up(tick) + 4))} text-anchor="end">
            {format(tick)}
          </text>
        </>
      ))}
      {segments.map(({ kind, day, from, to }) => (
        <Bar
          kind={kind}
          box={{ x: across(day) ?? 0, y: up(to), width: across.bandwidth(), height: up(from) - up(to) }}
        />
      ))}
      <line class="axis" x1={String(LEFT)} x2={String(WIDTH)} y1={String(BOTTOM)} y2={String(BOTTOM)} />
      {days.map((day, position) =>
        (days.length - 1 - position) % every === 0 ? (
          <text
            x={String(round((across(position) ?? 0) + across.bandwidth() / 2))}
            y={String(BOTTOM + 18)}
            text-anchor="middle"
          >
            {shortDay(day)}
          </text>
        ) : null,
      )}
      {days.map((_, position) => (
        <rect
          class="hit"
          data-tip=""
          {...attributesOf({
            x: (across(position) ?? 0) - (across.step() - across.bandwidth()) / 2,
            y: TOP,
            width: across.step(),
            height: BOTTOM - TOP,
          })}
        >
          <title>{visible(tips[position] ?? "")}</title>
        </rect>
      ))}
    </svg>
  );
};
