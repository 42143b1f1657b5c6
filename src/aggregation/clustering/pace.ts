/** Pauses in long loops, by the work done and not by a clock, so that every run pauses at the same places. */

/** Multiplications of plain TypeScript between two pauses: about 20 ms. */
const STRETCH_MULTIPLICATIONS = 2 ** 24;

/** @returns what a loop awaits after each piece of work, with the multiplications that it took */
export function pacedBy(pause: () => Promise<void>): (multiplications: number) => Promise<void> {
  let done = 0;
  return async (multiplications) => {
    done += multiplications;
    if (done < STRETCH_MULTIPLICATIONS) return;
    done = 0;
    await pause();
  };
}
