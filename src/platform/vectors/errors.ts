/** What a vector index may fail with. */

/** `transient`: the same call may succeed later. `refused`: it never will. */
export type VectorIndexFault = "transient" | "refused";

export class VectorIndexError extends Error {
  override readonly name = "VectorIndexError";
  constructor(
    readonly fault: VectorIndexFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
