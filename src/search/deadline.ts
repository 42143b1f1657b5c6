/** Ends the wait for a promise that may never settle. */

export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** @throws what `failure` makes, a DeadlineExceeded by default, after `timeoutMs`; what `work` still does is ignored */
export async function withDeadline<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  failure: () => Error = () => new DeadlineExceeded(`no answer within ${timeoutMs} ms`),
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure()), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
