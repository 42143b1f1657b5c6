import { expect, it } from "vitest";
import { exports } from "cloudflare:workers";
it("builds", async () => {
  const r = await exports.default.fetch("http://localhost/health");
  expect(r.status).toBe(200);
});
