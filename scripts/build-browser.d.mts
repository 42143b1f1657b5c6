/** The text of `src/dashboard/browser/generated.ts` as it should be now. */
export function generate(): Promise<string>;
