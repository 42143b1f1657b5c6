/** Embeddings from any server that speaks OpenAI's `POST /embeddings`. */
import * as z from "zod";
import { embedInBatches, type Wait, waitByTimer } from "./batches";
import type { EmbeddingModelEntry } from "./models";
import { type Embedder, EmbedderError } from "./port";
import { readBounded } from "./read-bounded";

/** The guarded fetch; rejects on time-out, on a forbidden address and on a broken connection. */
export type Egress = (request: Request) => Promise<Response>;

export interface OpenAiCompatibleOptions {
  /** With the version in its path, such as `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; local servers take none. */
  apiKey?: string | undefined;
  /** The name that the server knows the model by; the entry's own name if absent. */
  serverModel?: string | undefined;
  model: EmbeddingModelEntry;
  egress: Egress;
  wait?: Wait | undefined;
}

/** 100 vectors of 3,072 numbers take about 7 MB as JSON text. */
const MAX_ANSWER_BYTES = 16_000_000;
const TIMEOUT_MS = 30_000;
/** Statuses that pass: time-out, conflict, too early, too many requests; and everything from 500 on. */
const PASSING_STATUSES = new Set([408, 409, 425, 429]);

const Answer = z.object({
  data: z.array(
    z.object({
      index: z.number().int().nonnegative(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

/**
 * `embed` throws EmbedderError transient (tried twice) or refused; messages never hold the key or the texts.
 * @throws RangeError at once for a base URL that is none.
 */
export function createOpenAiCompatibleEmbedder(options: OpenAiCompatibleOptions): Embedder {
  const url = endpoint(options.baseUrl);
  const { model } = options;
  return {
    model,
    embed: (texts, purpose) =>
      embedInBatches(
        model,
        texts,
        purpose,
        (batch) => post(url, options, batch),
        options.wait ?? waitByTimer,
      ),
  };
}

function endpoint(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new RangeError("embedder: baseUrl must be an http or https address");
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
  return url.href;
}

async function post(url: string, options: OpenAiCompatibleOptions, texts: readonly string[]) {
  const headers = new Headers({ "content-type": "application/json", accept: "application/json" });
  if (options.apiKey !== undefined) headers.set("authorization", `Bearer ${options.apiKey}`);
  const body = JSON.stringify({
    model: options.serverModel ?? options.model.name,
    input: texts,
    encoding_format: "float",
  });
  let text: string;
  let status: number;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await options.egress(new Request(url, { method: "POST", headers, body, signal }));
    status = response.status;
    text = await readBounded(response, MAX_ANSWER_BYTES);
  } catch (error) {
    if (error instanceof EmbedderError) throw error;
    throw new EmbedderError(
      "transient",
      `embedder: the call failed (${error instanceof Error ? error.name : "error"})`,
    );
  }
  if (status < 200 || status > 299) {
    const passes = status >= 500 || PASSING_STATUSES.has(status);
    throw new EmbedderError(
      passes ? "transient" : "refused",
      `embedder: the server answered status ${status}`,
    );
  }
  return vectorsInOrder(text, texts.length);
}

/** Answers may come in any order; `index` says to which text each belongs. */
function vectorsInOrder(text: string, count: number): ArrayLike<number>[] {
  const parsed = Answer.safeParse(parsedJson(text));
  if (!parsed.success)
    throw new EmbedderError("transient", "embedder: the server answered no list of embeddings");
  const byIndex = new Map(parsed.data.data.map((entry) => [entry.index, entry.embedding]));
  if (parsed.data.data.length !== count || byIndex.size !== count) {
    throw new EmbedderError("transient", `embedder: ${parsed.data.data.length} answers for ${count} texts`);
  }
  return Array.from({ length: count }, (_, index) => {
    const embedding = byIndex.get(index);
    if (embedding === undefined)
      throw new EmbedderError("transient", `embedder: no answer for text ${index}`);
    return typeof embedding === "string" ? floatsOfBase64(embedding) : embedding;
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some servers answer little-endian float32s in base64, asked or not. */
function floatsOfBase64(base64: string): Float32Array {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    throw new EmbedderError("transient", "embedder: an embedding is not base64");
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  // A length that is no multiple of four shows as a wrong dimension.
  return Float32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, i) =>
    4 * i + 4 <= bytes.length ? view.getFloat32(4 * i, true) : Number.NaN,
  );
}
