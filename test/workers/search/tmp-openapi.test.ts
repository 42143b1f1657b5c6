import { exports } from "cloudflare:workers";
import { it } from "vitest";
it("doc", async () => {
  const r = await exports.default.fetch("http://localhost/openapi.json");
  const t = await r.text();
  console.log(r.status, t.length);
  const d = JSON.parse(t);
  for (const p of ["/api/search", "/api/search_user_playbooks", "/api/context","/api/search_interactions"]) console.log(p, JSON.stringify(d.paths?.[p]?.post?.requestBody)?.slice(0, 1500));
});
