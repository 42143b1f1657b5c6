/** The reducer as hosts take it: its state opaque, built once for each version of a document. */
import type { PlaybookDocument } from "../model";
import { compileProgram, reducerOf } from "../run";
import type { Reducer } from "../run/model";

/** @throws UnrunnableDocument when an expression, template or schema of the document cannot be compiled */
export type Compile = (document: PlaybookDocument, contentHash: string) => Reducer<unknown>;

/** Reducers are pure, so all lives of a host can share them. */
export function compiler(): Compile {
  const known = new Map<string, Reducer<unknown>>();
  return (document, contentHash) => {
    const reducer = known.get(contentHash) ?? reducerOf(compileProgram(document));
    known.set(contentHash, reducer);
    return reducer;
  };
}
