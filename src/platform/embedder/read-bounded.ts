/** Reads a response's text, but never more of it than allowed. */
import { EmbedderError } from "./port";

/** @throws EmbedderError refused if the body is longer than `maxBytes`; the rest is not read. */
export async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const chunk: Uint8Array = value;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new EmbedderError("refused", `embedder: the server answered more than ${maxBytes} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
}
