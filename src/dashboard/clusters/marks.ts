/** How clusters are told apart: by shape, by colour and by number, so that colour is never needed. Pure. */
import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
} from "d3-shape";

const SHAPES: readonly SymbolType[] = [
  symbolCircle,
  symbolTriangle,
  symbolSquare,
  symbolCross,
  symbolDiamond,
  symbolStar,
];
const COLOURS = 6;
/** In square units of the plot. */
const AREA = 84;

/** Clusters that have a mark of their own; more shapes and colours nobody could tell apart. */
export const MAX_MARKS = SHAPES.length * COLOURS;

export interface Mark {
  /** Which of the shapes. */
  shape: number;
  /** A class of the stylesheet. */
  colour: string;
}

/** The first six differ in both; after that each pair comes once. */
export const markOf = (position: number): Mark => ({
  shape: (position + Math.floor(position / COLOURS)) % SHAPES.length,
  colour: `s${(position % COLOURS) + 1}`,
});

/** Outlines of the shapes around the origin. */
export const outlines: readonly string[] = SHAPES.map((shape) => symbol(shape, AREA).digits(2)() ?? "");
