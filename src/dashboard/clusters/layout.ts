/** From the plane to the page: one scale for both directions, and nothing hidden behind anything else. Pure. */
import { scaleLinear } from "d3-scale";

export const PLOT_WIDTH = 720;
export const PLOT_HEIGHT = 460;
const MARGIN = 28;

/** Points nearer than this are the same place to an eye. */
const CELL = 7;
/** How far apart points of one place are set. */
const STEP = 7;
const LABEL_GAP = 10;
/** Successive turns by this angle fill a disc evenly: the golden angle, in radians. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export interface Place {
  x: number;
  y: number;
}

/** Fits points to the plot, so that equal distances stay equal; what has no extent stands in the middle. */
export function fitToPlot(points: readonly (readonly [number, number])[]): Place[] {
  const span = (axis: 0 | 1): [middle: number, half: number] => {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const point of points) {
      least = Math.min(least, point[axis]);
      most = Math.max(most, point[axis]);
    }
    return points.length === 0 ? [0, 0] : [(least + most) / 2, (most - least) / 2];
  };
  const [middleX, halfX] = span(0);
  const [middleY, halfY] = span(1);
  const room = { x: PLOT_WIDTH / 2 - MARGIN, y: PLOT_HEIGHT / 2 - MARGIN };
  const unit = Math.min(halfX > 0 ? room.x / halfX : Infinity, halfY > 0 ? room.y / halfY : Infinity);
  const scale = Number.isFinite(unit) ? unit : 0;
  const across = scaleLinear([middleX - 1, middleX + 1], [PLOT_WIDTH / 2 - scale, PLOT_WIDTH / 2 + scale]);
  const up = scaleLinear([middleY - 1, middleY + 1], [PLOT_HEIGHT / 2 + scale, PLOT_HEIGHT / 2 - scale]);
  return points.map(([x, y]) => ({ x: across(x), y: up(y) }));
}

const within = (value: number, size: number): number =>
  Math.round(Math.min(size - MARGIN / 2, Math.max(MARGIN / 2, value)) * 10) / 10;

/** Rules of one situation have one vector: they are set around their place like seeds in a flower's head. */
export function spreadOut(places: readonly Place[]): Place[] {
  const taken = new Map<string, number>();
  return places.map(({ x, y }) => {
    const cell = `${Math.round(x / CELL)} ${Math.round(y / CELL)}`;
    const before = taken.get(cell) ?? 0;
    taken.set(cell, before + 1);
    const radius = STEP * Math.sqrt(before);
    const angle = before * GOLDEN_ANGLE;
    return {
      x: within(x + radius * Math.cos(angle), PLOT_WIDTH),
      y: within(y + radius * Math.sin(angle), PLOT_HEIGHT),
    };
  });
}

/** Above the middle of some places, where the number that names them hides none. */
export const labelPlaceOf = (places: readonly Place[]): Place => ({
  x: within(places.reduce((sum, { x }) => sum + x, 0) / Math.max(1, places.length), PLOT_WIDTH),
  y: within(places.reduce((top, { y }) => Math.min(top, y), PLOT_HEIGHT) - LABEL_GAP, PLOT_HEIGHT),
});
