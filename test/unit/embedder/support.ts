/** Small tables and strict fakes of the two remote services, for the embedder's tests. */

/** A table in the format of the asset; each token's vector has `step` at its own position and 0 elsewhere. */
export function tableOf(tokens: readonly string[], dimension: number, step = 100): ArrayBuffer {
  const text = new TextEncoder().encode(tokens.join("\n"));
  const buffer = new ArrayBuffer(20 + tokens.length * (4 + dimension) + text.length);
  const view = new DataView(buffer);
  new Uint8Array(buffer).set(new TextEncoder().encode("PMEMBED1"));
  [tokens.length, dimension, text.length].forEach((value, i) => {
    view.setUint32(8 + 4 * i, value, true);
  });
  tokens.forEach((_, i) => {
    view.setFloat32(20 + 4 * i, 0.5, true);
    view.setInt8(20 + 4 * tokens.length + i * dimension + (i % dimension), step);
  });
  new Uint8Array(buffer).set(text, buffer.byteLength - text.length);
  return buffer;
}

/** A vector that depends on the text alone and is not of unit length. */
export function rawVector(text: string, dimension: number): number[] {
  return Array.from(
    { length: dimension },
    (_, i) => ((text.charCodeAt(i % text.length) * (i + 7)) % 101) - 50.5,
  );
}

export function lengthOf(vector: Float32Array): number {
  return Math.hypot(...vector);
}

/** Workers AI as documented: at most 100 texts, none of them empty. */
export class FakeWorkersAi {
  readonly calls: string[][] = [];
  /** Answers to give instead of the right one, first come first served. */
  readonly planned: (() => unknown)[] = [];

  constructor(readonly dimension: number) {}

  async run(_model: string, input: { text: string[] }): Promise<unknown> {
    this.calls.push(input.text);
    const plan = this.planned.shift();
    if (plan !== undefined) return plan();
    if (input.text.length > 100) throw new Error("5004: Invalid data: more than 100 texts");
    if (input.text.some((text) => text === "")) throw new Error("5004: Invalid data: empty text");
    const data = input.text.map((text) => rawVector(text, this.dimension));
    return { shape: [data.length, this.dimension], data };
  }
}

/** An embeddings endpoint that answers out of order and refuses what OpenAI's refuses. */
export class FakeEmbeddingsServer {
  readonly calls: string[][] = [];
  readonly requests: Request[] = [];
  readonly planned: (() => Response)[] = [];
  encoding: "float" | "base64" = "float";

  constructor(readonly dimension: number) {}

  readonly egress = async (request: Request): Promise<Response> => {
    this.requests.push(request);
    const body: unknown = await request.json();
    const input = Reflect.get(Object(body), "input");
    if (
      !Array.isArray(input) ||
      input.length === 0 ||
      input.some((text) => typeof text !== "string" || text === "")
    ) {
      return new Response('{"error":{"message":"invalid input"}}', { status: 400 });
    }
    this.calls.push(input);
    const plan = this.planned.shift();
    if (plan !== undefined) return plan();
    const data = input
      .map((text: string, index: number) => ({ index, embedding: this.#encode(text) }))
      .reverse();
    return Response.json({ object: "list", data });
  };

  #encode(text: string): number[] | string {
    const values = rawVector(text, this.dimension);
    if (this.encoding === "float") return values;
    return Buffer.from(new Float32Array(values).buffer).toString("base64");
  }
}
