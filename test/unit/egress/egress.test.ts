import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  createEgress,
  EgressError,
  type EgressErrorCode,
  type EgressSettings,
} from "../../../src/platform/egress";

const settings: EgressSettings = { allowLoopback: true, timeoutMs: 20_000, maxResponseBytes: 1_000 };
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    ),
  );
});

/** The address of a fresh server on loopback. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

async function codeOf(work: Promise<unknown>): Promise<EgressErrorCode | "none"> {
  try {
    await work;
    return "none";
  } catch (error) {
    if (error instanceof EgressError) return error.code;
    throw error;
  }
}

/** A fetch that must not be reached. */
const unreachable = { fetcher: () => Promise.reject(new Error("the request went out")) };

describe("what is refused before anything is sent", () => {
  it.each([
    ["ftp://example.com/", "scheme_refused"],
    ["file:///etc/passwd", "scheme_refused"],
    ["data:text/plain,x", "scheme_refused"],
    ["not a url", "invalid_url"],
    ["/relative", "invalid_url"],
    ["https://user:secret@example.com/", "credentials_in_url"],
    ["https://token@example.com/", "credentials_in_url"],
    ["http://169.254.169.254/latest/meta-data/", "host_refused"],
    ["http://metadata.google.internal/", "host_refused"],
    ["http://10.0.0.8/", "host_refused"],
    ["http://[fd00::1]/", "host_refused"],
    ["http://127.0.0.1/", "host_refused"],
    ["http://localhost:8080/", "host_refused"],
    ["http://2130706433/", "host_refused"],
  ] as const)("%s is %s", async (url, code) => {
    const egress = createEgress({ ...settings, allowLoopback: false }, unreachable);
    expect(await codeOf(egress(url))).toBe(code);
  });

  it("keeps internal hosts refused where loopback is allowed", async () => {
    expect(await codeOf(createEgress(settings, unreachable)("http://192.168.0.1/"))).toBe("host_refused");
  });

  it("calls only the hosts and ports that are named, where some are", async () => {
    const sent: string[] = [];
    const fetcher = async (url: string) => {
      sent.push(url);
      return new Response("ok");
    };
    const egress = createEgress(
      { ...settings, allowHosts: ["api.example.com"], allowPorts: [443] },
      { fetcher },
    );
    expect(await codeOf(egress("https://api.example.com/v1"))).toBe("none");
    expect(await codeOf(egress("https://API.example.com./v1"))).toBe("none");
    expect(await codeOf(egress("https://evil.example.com/"))).toBe("host_refused");
    expect(await codeOf(egress("https://api.example.com:8443/"))).toBe("port_refused");
    expect(sent).toHaveLength(2);
  });

  it("says no secret of the address in its message", async () => {
    const egress = createEgress(settings, unreachable);
    await expect(egress("https://u:hunter2@example.com/path?key=abc")).rejects.toThrow(
      /^(?!.*(hunter2|abc|path)).*$/,
    );
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses the bound %s when it is made", (bound) => {
    expect(() => createEgress({ ...settings, timeoutMs: bound })).toThrow(RangeError);
    expect(() => createEgress({ ...settings, maxResponseBytes: bound })).toThrow(RangeError);
  });
});

describe("redirects", () => {
  it("are followed three times and no further", async () => {
    const base = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      response.writeHead(left > 0 ? 302 : 200, left > 0 ? { location: `/${left - 1}` } : {});
      response.end("end");
    });
    const egress = createEgress(settings);
    expect(await (await egress(`${base}/3`)).text()).toBe("end");
    expect(await codeOf(egress(`${base}/4`))).toBe("too_many_redirects");
  });

  it.each(["http://169.254.169.254/", "file:///etc/passwd", "http://u:p@127.0.0.1/", "//10.0.0.1/x"])(
    "to %s are judged like the first address",
    async (location) => {
      const base = await serve((_request, response) => response.writeHead(307, { location }).end());
      expect(["host_refused", "scheme_refused", "credentials_in_url"]).toContain(
        await codeOf(createEgress(settings)(base)),
      );
    },
  );

  it("without a usable Location are an error", async () => {
    const base = await serve((_request, response) => response.writeHead(302).end());
    expect(await codeOf(createEgress(settings)(base))).toBe("redirect_invalid");
  });

  it("to another origin lose keys and cookies, and keep the request id", async () => {
    let seen: Record<string, unknown> = {};
    const other = await serve((request, response) => {
      seen = request.headers;
      response.end("ok");
    });
    const base = await serve((_request, response) => response.writeHead(307, { location: other }).end());
    const headers = {
      authorization: "Bearer k",
      "x-api-key": "k",
      cookie: "c",
      "x-custom": "v",
      accept: "text/plain",
    };
    await createEgress({ ...settings, requestId: "req-1" })(base, { headers });
    expect(seen).toMatchObject({ accept: "text/plain", "x-request-id": "req-1" });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect([seen.authorization, seen["x-api-key"], seen.cookie, seen["x-custom"]]).toEqual(
      new Array(4).fill(undefined),
    );
  });

  it.each([
    [303, "GET", ""],
    [302, "GET", ""],
    [307, "POST", "body"],
    [308, "POST", "body"],
  ] as const)("%i of a POST goes on as %s", async (status, method, body) => {
    const received: string[] = [];
    const base = await serve(async (request, response) => {
      if (request.url === "/from") return response.writeHead(status, { location: "/to" }).end();
      let text = "";
      for await (const chunk of request) text += String(chunk);
      received.push(`${request.method} ${text}`);
      return response.end();
    });
    await createEgress(settings)(`${base}/from`, { method: "POST", body: "body" });
    expect(received).toEqual([`${method} ${body}`]);
  });

  it("that would send a stream twice are an error", async () => {
    const base = await serve((_request, response) => response.writeHead(307, { location: "/again" }).end());
    const request = new Request(base, {
      method: "POST",
      body: new Blob(["x"]).stream(),
      ...{ duplex: "half" },
    });
    expect(await codeOf(createEgress(settings)(request))).toBe("redirect_body_lost");
  });
});

describe("bounds", () => {
  it("end a body that is too large while it is read, whatever its length header says", async () => {
    const base = await serve((_request, response) => {
      response.write("x".repeat(600));
      response.end("x".repeat(600));
    });
    const response = await createEgress(settings)(base);
    expect(await codeOf(response.text())).toBe("response_too_large");
  });

  it("let a body of exactly the bound through", async () => {
    const base = await serve((_request, response) => response.end("x".repeat(1_000)));
    expect((await (await createEgress(settings)(base)).text()).length).toBe(1_000);
  });

  it("end a request whose headers never come", async () => {
    const deadline = new AbortController();
    const base = await serve(() => deadline.abort(new DOMException("late", "TimeoutError")));
    const egress = createEgress(settings, { timeoutSignal: () => deadline.signal });
    expect(await codeOf(egress(base))).toBe("timeout");
  });

  it("end a body that stalls", async () => {
    const deadline = new AbortController();
    const base = await serve((_request, response) => void response.write("half"));
    const response = await createEgress(settings, { timeoutSignal: () => deadline.signal })(base);
    const reading = codeOf(response.text());
    deadline.abort(new DOMException("late", "TimeoutError"));
    expect(await reading).toBe("timeout");
  });

  it("tell a caller that gave up from a deadline", async () => {
    const caller = new AbortController();
    const base = await serve(() => caller.abort());
    expect(await codeOf(createEgress(settings)(base, { signal: caller.signal }))).toBe("aborted");
    expect(await codeOf(createEgress(settings)(base, { signal: AbortSignal.abort() }))).toBe("aborted");
  });

  it("call a connection that breaks a network error", async () => {
    const base = await serve((request) => void request.socket.resetAndDestroy());
    expect(await codeOf(createEgress(settings)(base))).toBe("network");
  });
});

describe("what passes", () => {
  it("keeps status, headers and an empty body", async () => {
    const base = await serve((_request, response) => response.writeHead(204, { "x-kept": "yes" }).end());
    const response = await createEgress(settings)(base);
    expect([response.status, response.headers.get("x-kept"), await response.text()]).toEqual([
      204,
      "yes",
      "",
    ]);
  });

  it("does not overwrite a request id that the request has", async () => {
    let seen: unknown;
    const base = await serve((request, response) => {
      seen = request.headers["x-request-id"];
      response.end();
    });
    await createEgress({ ...settings, requestId: "outer" })(base, { headers: { "x-request-id": "inner" } });
    expect(seen).toBe("inner");
  });

  it("takes a Request with its method, headers and body", async () => {
    const received: string[] = [];
    const base = await serve(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      received.push(`${request.method} ${request.headers["x-a"]} ${text}`);
      response.end();
    });
    await createEgress(settings)(new Request(base, { method: "PUT", headers: { "x-a": "1" }, body: "b" }));
    expect(received).toEqual(["PUT 1 b"]);
  });
});
