/** Every class of work is counted, per key, by a binding that every environment has. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { assertWithinLimit, bindingOf } from "../../../src/http/limits";

const config = join(import.meta.dirname, "../../../wrangler.toml");
const rateLimits = z.array(
  z.object({ name: z.string(), simple: z.object({ limit: z.int(), period: z.int() }) }),
);
const principal = { orgId: "o", id: "ada", keyId: "key_1", roles: [], scopes: [] };

describe("limits", () => {
  it.each(["", "staging", "production"])("have a binding for each class in environment %j", (environment) => {
    const ratelimits = rateLimits.parse(readConfig({ config, env: environment }).ratelimits);
    const limitOf = new Map(ratelimits.map(({ name, simple }) => [name, simple]));
    for (const binding of Object.values(bindingOf)) {
      expect(limitOf.get(binding)).toEqual({ limit: Number(binding.split("_")[1]), period: 60 });
    }
  });

  it("count two keys of one principal, and two classes of one key, apart", async () => {
    const keys: string[] = [];
    const limiter = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: true };
      },
    };
    const bindings = { LIMIT_60: limiter };
    await assertWithinLimit(bindings, principal, "write");
    await assertWithinLimit(bindings, { ...principal, keyId: "key_2" }, "write");
    await assertWithinLimit(bindings, principal, "publish");
    expect(new Set(keys).size).toBe(3);
  });
});
