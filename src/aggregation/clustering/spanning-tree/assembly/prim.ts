/**
 * Prim's algorithm over rows of 16-bit integers, in AssemblyScript: the Euclidean minimum spanning tree with one
 * row of distances at a time and no matrix. `npm run build` compiles it to ../prim.wasm.
 *
 * Memory: rows (count × width × i16) | squares | nearest | parent | rank (count × u32 each) | edges (count × 3 × u32).
 * The rows that are not in the tree yet stand first; whichever joins it changes places with the last of them, so
 * that every scan reads memory from front to back. All arithmetic is exact, so every machine finds the same tree.
 */

/** Bytes that one vector instruction reads: eight values. */
const LANE_BYTES: usize = 16;
/** Rows that are compared at once, so that each part of the newest row is read once for all of them. */
const ROWS_AT_ONCE: i32 = 4;
const PAGE_BYTES: usize = 65536;

let rowBytes: usize = 0;
let rowsAt: usize = 0;
let squaresAt: usize = 0;
let nearestAt: usize = 0;
let parentAt: usize = 0;
let rankAt: usize = 0;
let edgesAt: usize = 0;
let edgeCount: i32 = 0;
/** Rows that are not in the tree. The newest row of the tree stands right behind them. */
let outside: i32 = 0;

/**
 * Makes room for `count` rows of `width` values (a multiple of 8; fill up with zeros).
 * Returns where the rows begin, or 0 where the memory cannot grow so far.
 */
export function reserve(count: i32, width: i32): usize {
  rowBytes = <usize>width * 2;
  rowsAt = (__heap_base + LANE_BYTES - 1) & ~(LANE_BYTES - 1);
  const columnBytes = <usize>count * 4;
  squaresAt = rowsAt + <usize>count * rowBytes;
  nearestAt = squaresAt + columnBytes;
  parentAt = nearestAt + columnBytes;
  rankAt = parentAt + columnBytes;
  edgesAt = rankAt + columnBytes;
  const pages = <i32>((edgesAt + 3 * columnBytes + PAGE_BYTES - 1) / PAGE_BYTES);
  const missing = pages - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) return 0;
  outside = count;
  edgeCount = 0;
  return rowsAt;
}

/** Call it once, when the rows are written: the tree begins with row 0. */
export function begin(): void {
  for (let place = 0; place < outside; place += 1) {
    const row = rowsAt + <usize>place * rowBytes;
    store<u32>(at(squaresAt, place), <u32>product(row, row));
    store<u32>(at(nearestAt, place), u32.MAX_VALUE);
    store<u32>(at(parentAt, place), 0);
    store<u32>(at(rankAt, place), place);
  }
  if (outside > 0) join(0);
}

/** Compares about `pairs` pairs of rows. Returns how many rows are still outside the tree. */
export function advance(pairs: i32): i32 {
  for (let left = pairs; left > 0 && outside > 0; ) {
    left -= outside;
    const place = nearestPlace();
    const edge = edgesAt + <usize>edgeCount * 12;
    store<u32>(edge, load<u32>(at(parentAt, place)));
    store<u32>(edge + 4, load<u32>(at(rankAt, place)));
    store<u32>(edge + 8, load<u32>(at(nearestAt, place)));
    edgeCount += 1;
    join(place);
  }
  return outside;
}

/** Where the edges stand: parent's row, row, squared distance; three u32 each, in the order of joining. */
export function edges(): usize {
  return edgesAt;
}

function at(column: usize, place: i32): usize {
  return column + ((<usize>place) << 2);
}

/** Takes the row at `place` into the tree. */
function join(place: i32): void {
  outside -= 1;
  if (place === outside) return;
  const one = rowsAt + <usize>place * rowBytes;
  const other = rowsAt + <usize>outside * rowBytes;
  for (let offset: usize = 0; offset < rowBytes; offset += LANE_BYTES) {
    const kept = v128.load(one + offset);
    v128.store(one + offset, v128.load(other + offset));
    v128.store(other + offset, kept);
  }
  swap(squaresAt, place);
  swap(nearestAt, place);
  swap(parentAt, place);
  swap(rankAt, place);
}

function swap(column: usize, place: i32): void {
  const kept = load<u32>(at(column, place));
  store<u32>(at(column, place), load<u32>(at(column, outside)));
  store<u32>(at(column, outside), kept);
}

/** Compares the newest row of the tree with every row outside it; the place of the one nearest to the tree. */
function nearestPlace(): i32 {
  const newest = rowsAt + <usize>outside * rowBytes;
  const whole = outside - (outside % ROWS_AT_ONCE);
  for (let place = 0; place < whole; place += ROWS_AT_ONCE) compareFour(newest, place);
  for (let place = whole; place < outside; place += 1) {
    note(place, product(newest, rowsAt + <usize>place * rowBytes));
  }
  let best = 0;
  for (let place = 1; place < outside; place += 1) {
    const distance = load<u32>(at(nearestAt, place));
    const least = load<u32>(at(nearestAt, best));
    if (distance > least) continue;
    if (distance < least || load<u32>(at(rankAt, place)) < load<u32>(at(rankAt, best))) best = place;
  }
  return best;
}

function compareFour(newest: usize, place: i32): void {
  const first = rowsAt + <usize>place * rowBytes;
  const second = first + rowBytes;
  const third = second + rowBytes;
  const fourth = third + rowBytes;
  let firstSums = i32x4.splat(0);
  let secondSums = i32x4.splat(0);
  let thirdSums = i32x4.splat(0);
  let fourthSums = i32x4.splat(0);
  for (let offset: usize = 0; offset < rowBytes; offset += LANE_BYTES) {
    const part = v128.load(newest + offset);
    firstSums = i32x4.add(firstSums, i32x4.dot_i16x8_s(part, v128.load(first + offset)));
    secondSums = i32x4.add(secondSums, i32x4.dot_i16x8_s(part, v128.load(second + offset)));
    thirdSums = i32x4.add(thirdSums, i32x4.dot_i16x8_s(part, v128.load(third + offset)));
    fourthSums = i32x4.add(fourthSums, i32x4.dot_i16x8_s(part, v128.load(fourth + offset)));
  }
  note(place, total(firstSums));
  note(place + 1, total(secondSums));
  note(place + 2, total(thirdSums));
  note(place + 3, total(fourthSums));
}

/** Keeps the distance from the newest row where it is the least so far. Modulo 2³², which no distance reaches. */
function note(place: i32, productOfBoth: i32): void {
  const squares = load<u32>(at(squaresAt, place)) + load<u32>(at(squaresAt, outside));
  const distance = squares - ((<u32>productOfBoth) << 1);
  if (distance >= load<u32>(at(nearestAt, place))) return;
  store<u32>(at(nearestAt, place), distance);
  store<u32>(at(parentAt, place), load<u32>(at(rankAt, outside)));
}

function product(left: usize, right: usize): i32 {
  let sums = i32x4.splat(0);
  for (let offset: usize = 0; offset < rowBytes; offset += LANE_BYTES) {
    sums = i32x4.add(sums, i32x4.dot_i16x8_s(v128.load(left + offset), v128.load(right + offset)));
  }
  return total(sums);
}

function total(sums: v128): i32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}
