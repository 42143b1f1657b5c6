/** The table of sentence frames in which people tell an agent what to do or leave; the first that fits wins. */

import { needFrames } from "./frame-needs";
import { orderFrames } from "./frame-orders";
import type { Reader } from "./frame-pattern";
import { wishFrames } from "./frame-wishes";

export const frameReaders: ReadonlyArray<readonly [RegExp, Reader]> = [
  ...orderFrames,
  ...wishFrames,
  ...needFrames,
];
