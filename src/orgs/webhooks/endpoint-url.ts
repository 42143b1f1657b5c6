/** Which addresses may be an endpoint. Pure; asked when one is saved and again before every attempt. */
import { classifyHost } from "../../platform/egress/addresses";

export const MAX_URL_CHARACTERS = 2048;

export interface UrlFault {
  message: string;
  expected: string;
}

const PUBLIC_HTTPS = "an https address of a public host";

/** @returns the address as it is stored, or what is wrong with it */
export function endpointUrl(text: string, allowLoopback: boolean): { url: string } | UrlFault {
  if (!URL.canParse(text)) return { message: "This is no absolute URL.", expected: PUBLIC_HTTPS };
  const url = new URL(text);
  const host = classifyHost(url.hostname);
  if (host === "internal" || (host === "loopback" && !allowLoopback)) {
    return { message: "The host is not public.", expected: PUBLIC_HTTPS };
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && host === "loopback")) {
    return { message: `Messages are sent over https, not ${url.protocol}`, expected: PUBLIC_HTTPS };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      message: "The address carries credentials; every message is signed instead.",
      expected: "an address without user and password",
    };
  }
  if (text.includes("#")) {
    return { message: "A fragment is never sent.", expected: "an address without #" };
  }
  if (url.href.length > MAX_URL_CHARACTERS) {
    return {
      message: "The address is too long once it is encoded.",
      expected: `at most ${MAX_URL_CHARACTERS} characters`,
    };
  }
  return { url: url.href };
}
