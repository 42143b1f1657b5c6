/** What the remote adapters share: prefixes, blank texts, batches, and one more try after a transient fault. */
import { type EmbeddingModelEntry, purposePrefix } from "./models";
import { EmbedderError, type EmbeddingPurpose } from "./port";
import { boundedText } from "./text";
import { unitVector } from "./unit-vector";

/** Raw vectors of one batch, in the order of `texts`. */
export type CallBatch = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

/** Resolves after `delayMs`; tests pass one that does not wait. */
export type Wait = (delayMs: number) => Promise<void>;

/** What Workers AI takes in one call; other servers take at least as many. */
const BATCH_SIZE = 100;
const ATTEMPTS = 2;
const RETRY_DELAY_MS = 500;

export const waitByTimer: Wait = (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs));

/**
 * Unit vectors of all texts. Blank texts get the zero vector and are never sent, since models refuse them or
 * answer noise; the batches go one after the other.
 * @throws EmbedderError
 */
export async function embedInBatches(
  model: EmbeddingModelEntry,
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  call: CallBatch,
  wait: Wait,
): Promise<Float32Array[]> {
  const prefix = purposePrefix(model, purpose);
  const vectors: Float32Array[] = texts.map(() => new Float32Array(model.dimension));
  const asked = texts.flatMap((text, position) => {
    const bounded = boundedText(text, model.maxTextCharacters);
    return bounded.trim() === "" ? [] : [{ position, text: prefix + bounded }];
  });
  for (let first = 0; first < asked.length; first += BATCH_SIZE) {
    const batch = asked.slice(first, first + BATCH_SIZE);
    const answered = await withRetry(
      () =>
        callChecked(
          model,
          batch.map((entry) => entry.text),
          call,
        ),
      wait,
    );
    batch.forEach((entry, i) => {
      const vector = answered[i];
      if (vector !== undefined) vectors[entry.position] = vector;
    });
  }
  return vectors;
}

async function callChecked(model: EmbeddingModelEntry, texts: readonly string[], call: CallBatch) {
  const raw = await call(texts);
  if (raw.length !== texts.length) {
    throw new EmbedderError(
      "transient",
      `${model.name} answered ${raw.length} vectors for ${texts.length} texts`,
    );
  }
  return raw.map((values) => unitVector(values, model.dimension));
}

async function withRetry<T>(action: () => Promise<T>, wait: Wait): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof EmbedderError) || error.fault !== "transient" || attempt >= ATTEMPTS)
        throw error;
      await wait(RETRY_DELAY_MS);
    }
  }
}
