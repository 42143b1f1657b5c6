/** `Idempotency-Key` against crashes, take-overs and databases that fail after the work. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Database } from "../../../src/db/client";
import { type HttpAnswer, onceByKey } from "../../../src/http/idempotency";
import { Failure } from "../../../src/platform/failure";

const CLAIM_MS = 300_000;
let made = 0;

function bench() {
  made += 1;
  const db = new Database(env.DB);
  const clock = { nowMs: 1_900_000_000_000 };
  const key = { orgId: `idem-${made}`, principalId: "p", route: "/r", key: "k" };
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log = { info: note, warn: note, error: note };
  const call = (work: () => Promise<HttpAnswer>, request = "same") =>
    onceByKey({ db, key, request, nowMs: () => clock.nowMs, log, work, answerHoldsSecret: false });
  return { db, clock, logged, call };
}

const answer = (body: string, status = 200): HttpAnswer => ({
  status,
  contentType: "application/json",
  body,
  headers: {},
});

describe("a keyed request", () => {
  it("that crashed keeps others out for five minutes and is then taken over", async () => {
    const { call, clock } = bench();
    const crashed = call(() => new Promise(() => {}));
    await expect(call(async () => answer("early"))).rejects.toMatchObject({ kind: "conflict" });
    clock.nowMs += CLAIM_MS;
    expect((await call(async () => answer("second"))).body).toBe("second");
    expect(await Promise.race([crashed, Promise.resolve("still running")])).toBe("still running");
  });

  it("that ends after it was taken over overwrites and frees nothing", async () => {
    for (const fails of [false, true]) {
      const { call, clock } = bench();
      let finish: () => void = () => {};
      const slow = call(async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        if (fails) throw new Failure("conflict", "late");
        return answer("slow");
      });
      await vi.waitFor(() => expect(finish.toString()).not.toBe("() => {}"));
      clock.nowMs += CLAIM_MS;
      await call(async () => answer("second"));
      finish();
      await Promise.allSettled([slow]);
      expect((await call(async () => answer("third"))).body).toBe("second");
    }
  });

  it("whose answer could not be stored is answered, and is not done twice", async () => {
    const { call, db, logged } = bench();
    let done = 0;
    const run = vi.spyOn(db, "run");
    const first = await call(async () => {
      done += 1;
      run.mockRejectedValueOnce(new Error("database lost"));
      return answer("done");
    });
    run.mockRestore();
    expect([first.body, logged]).toEqual(["done", ["idempotency.not_stored"]]);
    const again = call(async () => {
      done += 1;
      return answer("again");
    });
    await expect(again).rejects.toMatchObject({ kind: "conflict" });
    expect(done).toBe(1);
  });

  it("that failed tells its own failure, also where its claim could not be freed", async () => {
    const { call, db } = bench();
    const run = vi.spyOn(db, "run");
    const failing = call(async () => {
      run.mockRejectedValueOnce(new Error("database lost"));
      throw new Failure("not_found", "no such thing");
    });
    await expect(failing).rejects.toMatchObject({ kind: "not_found" });
  });

  it("that answered a server fault may be tried again", async () => {
    const { call } = bench();
    await call(async () => answer("broken", 503));
    expect((await call(async () => answer("fine"))).body).toBe("fine");
  });

  it("is answered, also where the answer is larger than the database holds", async () => {
    const { call } = bench();
    const large = "部".repeat(900_000);
    expect((await call(async () => answer(large))).body).toBe(large);
  });
});
