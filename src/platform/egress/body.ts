/** A response whose body is counted while it is read and ends with a typed error at its bound. */
import { EgressError } from "./errors";

/** Statuses that the `Response` constructor refuses to give a body. */
const bodilessStatuses = new Set([204, 205, 304]);

/** Headers that describe the bytes on the wire, not the decoded ones handed on. */
const wireHeaders = ["content-encoding", "content-length", "transfer-encoding"];

/**
 * @param maxBytes of the decoded body
 * @param explain turns an error of the underlying stream into an `EgressError`
 */
export function boundedResponse(
  response: Response,
  maxBytes: number,
  explain: (cause: unknown) => EgressError,
): Response {
  const headers = new Headers(response.headers);
  for (const name of wireHeaders) headers.delete(name);
  const init = { status: response.status, statusText: response.statusText, headers };
  if (response.body === null || bodilessStatuses.has(response.status)) return new Response(null, init);

  const reader = response.body.getReader();
  let receivedBytes = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        receivedBytes += value.byteLength;
        if (receivedBytes > maxBytes) {
          throw new EgressError("response_too_large", `the response exceeds ${maxBytes} bytes`);
        }
        controller.enqueue(value);
      } catch (cause) {
        controller.error(explain(cause));
        await reader.cancel(cause).catch(() => undefined);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
  return new Response(counted, init);
}
