/** Many dimensions down to two: the plane in which the given rows differ most. Pure and deterministic. */
import { PCA } from "ml-pca";
import { dot, meanVector } from "../../aggregation/clustering/vector-math";

/** A plane through `origin`; an axis without a direction is all zero. */
export interface Plane {
  origin: Float32Array;
  axes: readonly [Float32Array, Float32Array];
}

/** Rows that a plane is fitted to; more of them would cost more than they show. */
const MAX_FITTED_ROWS = 200;
/** An axis that explains less of the variance than this is rounding. */
const MIN_SHARE = 1e-9;

/** Evenly spread over the list, so that what was learned early counts as much as what was learned late. */
export function sampleOf<Row>(rows: readonly Row[], count = MAX_FITTED_ROWS): Row[] {
  if (rows.length <= count) return [...rows];
  return Array.from(
    { length: count },
    (_, position) => rows[Math.floor((position * rows.length) / count)],
  ).filter((row) => row !== undefined);
}

/** The largest component is made positive: an eigenvector has no sign of its own, and a plot must not flip. */
function withFixedSign(axis: Float32Array): Float32Array {
  let largest = 0;
  for (const value of axis) if (Math.abs(value) > Math.abs(largest)) largest = value;
  return largest < 0 ? axis.map((value) => -value) : axis;
}

/**
 * Principal components in their dual form: the rows are fewer than their dimensions, so the products of rows
 * are decomposed in place of those of columns, and each eigenvector is carried back to the rows' own space.
 * @returns null where there is no row, or rows differ in length
 */
export function fitPlane(all: readonly Float32Array[]): Plane | null {
  const rows = sampleOf(all);
  const origin = meanVector(rows);
  if (origin === null) return null;
  const centred = rows.map((row) => row.map((value, index) => value - (origin[index] ?? 0)));
  const flat = new Float32Array(origin.length);
  if (centred.length < 2) return { origin, axes: [flat, flat] };
  const products = centred.map((left) => centred.map((right) => dot(left, right)));
  const model = new PCA(products, { isCovarianceMatrix: true });
  const weights = model.getEigenvectors();
  const variances = model.getEigenvalues();
  const total = variances.reduce((sum, variance) => sum + Math.max(0, variance), 0);
  const axis = (component: 0 | 1): Float32Array => {
    const variance = variances[component] ?? 0;
    if (!(total > 0) || !(variance / total > MIN_SHARE)) return flat;
    const direction = new Float32Array(origin.length);
    for (const [position, row] of centred.entries()) {
      const weight = weights.get(position, component) / Math.sqrt(variance);
      for (let index = 0; index < direction.length; index += 1) {
        direction[index] = (direction[index] ?? 0) + weight * (row[index] ?? 0);
      }
    }
    return withFixedSign(direction);
  };
  return { origin, axes: [axis(0), axis(1)] };
}

/** Where a vector falls on the plane. */
export function projectOnto({ origin, axes }: Plane, vector: Float32Array): [x: number, y: number] {
  const offset = vector.map((value, index) => value - (origin[index] ?? 0));
  return [dot(offset, axes[0]), dot(offset, axes[1])];
}

/**
 * The rows that decide how the plot is turned: the centres of the groups where there are three or more, so that
 * the plane shows what separates them, and all rows otherwise.
 */
export function fittingRows(
  groups: readonly (readonly Float32Array[])[],
  all: readonly Float32Array[],
): readonly Float32Array[] {
  const centres = groups.map(meanVector).filter((centre) => centre !== null);
  return centres.length >= 3 ? centres : all;
}
