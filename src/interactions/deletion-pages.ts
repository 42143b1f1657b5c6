/** Cuts a deletion into pages of bounded size. Pure. */

/** Rows that one batch deletes. */
export const DELETION_PAGE = 500;

export interface StoredRange {
  userId: string;
  minSeq: number;
  maxSeq: number;
}

export interface DeletionPage {
  /** Consecutive turns of a user: `[user, first id, last id]`. */
  ranges: (readonly [userId: string, firstSeq: number, lastSeq: number])[];
  /** `max_seq` of requests whose last turns lie in this page. */
  requestSeqs: number[];
}

/**
 * Requests in their order, at most {@link DELETION_PAGE} rows a page, requests counted with their
 * turns. A request goes with its last turns, so that what is cut off in between can be found again.
 */
export function* deletionPages(requests: Iterable<StoredRange>): Generator<DeletionPage> {
  let page: DeletionPage = { ranges: [], requestSeqs: [] };
  let room = DELETION_PAGE;
  for (const { userId, minSeq, maxSeq } of requests) {
    for (let firstSeq = minSeq; firstSeq <= maxSeq; ) {
      // One row of the page is the request's own.
      if (room < 2) {
        yield page;
        page = { ranges: [], requestSeqs: [] };
        room = DELETION_PAGE;
      }
      const lastSeq = Math.min(maxSeq, firstSeq + room - 2);
      page.ranges.push([userId, firstSeq, lastSeq]);
      room -= lastSeq - firstSeq + 1;
      firstSeq = lastSeq + 1;
    }
    page.requestSeqs.push(maxSeq);
    room -= 1;
  }
  if (page.ranges.length > 0) yield page;
}
