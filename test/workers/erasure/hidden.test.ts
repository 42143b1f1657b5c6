/** From the first batch of an erasure on nothing of the user shows, is stored, or is learned from. */
import { expect, it } from "vitest";
import * as z from "zod";
import { dashboardRoutes } from "../../../src/dashboard/routes";
import { sql } from "../../../src/db/sql";
import { beginErasure } from "../../../src/erasure/begin";
import { TestBrowser } from "../dashboard/browser";
import { db } from "../learning/support";
import { tokenVector } from "../learning/token-vector";
import { type Planted, plant } from "./plant";
import { Markers, newWorld, VERSION, VICTIM, type World, workOff } from "./support";

const begin = ({ services, tenant }: World) =>
  beginErasure(services, { orgId: tenant.orgId, principalId: "ona", requestId: "call" }, VICTIM);

/** Every question of the API whose answer may show a user. */
const questions = (planted: Planted, word: string): [method: string, path: string, body?: unknown][] => {
  const about = { query: `${word} merging`, user_id: VICTIM, agent_version: VERSION };
  const all = [null, "pending", "archived", "archive_in_progress", "merged", "superseded"];
  return [
    ["POST", "/api/get_interactions", { user_id: VICTIM }],
    ["GET", "/api/get_all_interactions"],
    ["POST", "/api/get_requests", {}],
    ["POST", "/api/get_requests", { user_id: VICTIM }],
    ["POST", "/api/get_requests", { session_id: planted.sessionId }],
    ["POST", "/api/get_user_playbooks", { limit: 1000, status_filter: all }],
    ["POST", "/api/get_user_playbooks", { user_id: VICTIM }],
    ["POST", "/api/search", about],
    ["POST", "/api/search/explain", about],
    ["POST", "/api/search_user_playbooks", { query: word }],
    ["POST", "/api/search_interactions", { query: word, user_id: VICTIM }],
    ["POST", "/api/search_interactions", { user_id: VICTIM }],
    ["POST", "/api/context", about],
    ...[planted.ownAgent, planted.sharedAgent, planted.cleanAgent].map((id): [string, string] => [
      "GET",
      `/api/agent_playbooks/${id}/evidence`,
    ]),
    ["GET", `/api/rules/agent_playbook/${planted.cleanAgent}/uses`],
    ["GET", "/api/dead_letters?state=all"],
    ["GET", "/api/revocations"],
    ["GET", "/api/erasure_log"],
  ];
};

/** Rules of agents leave service in the batches that follow at once; here it is the user who has to be gone. */
const withoutAgentRules = (text: string): string =>
  text
    .replaceAll(
      /(Always call|Ask|Never call|Sometimes call|Mind|Send|Call|Formerly) mzq\d+zq( (about|and|to) mzq\d+zq)*/g,
      "…",
    )
    .replaceAll(/When mzq\d+zq/g, "…");

it("shows nothing of the user in any answer once the first batch is in", async () => {
  const world = await newWorld();
  const markers = new Markers();
  const planted = await plant(world, markers);
  const word = markers.all[10] ?? "";
  // The words of the questions come back with the answers of some.
  const markersOf = (text: string) =>
    markers.all.filter((marker) => marker !== word && marker !== VICTIM && text.includes(marker));
  let seenBefore = 0;
  for (const [method, path, body] of questions(planted, word)) {
    const text = await (await world.call(method, path, body)).text();
    seenBefore += markersOf(withoutAgentRules(text)).length > 0 ? 1 : 0;
  }
  expect(seenBefore).toBeGreaterThan(10);

  await begin(world);
  for (const [method, path, body] of questions(planted, word)) {
    const response = await world.call(method, path, body);
    const text = await response.text();
    expect(response.status, path).toBeLessThan(300);
    expect(markersOf(withoutAgentRules(text)), `${path} ${JSON.stringify(body)}`).toEqual([]);
    if (body === undefined) expect(text, path).not.toContain(VICTIM);
  }
});

it("shows nothing of the user on any page of the desk once the first batch is in", async () => {
  const world = await newWorld();
  const markers = new Markers();
  const planted = await plant(world, markers);
  const browser = await new TestBrowser().signIn(world.tenant.key);
  const pages = [
    ...dashboardRoutes
      .filter(({ method, path }) => method === "get" && !path.includes("{"))
      .map(({ path }) => path),
    `/desk/sessions/${planted.sessionId}`,
    `/desk/sessions?user=${VICTIM}`,
    `/desk/user-playbooks?id=${planted.userPlaybookIds[0]}`,
    "/desk/user-playbooks?lifecycle=all",
    `/desk/clusters?agent_version=${VERSION}`,
  ].filter((path) => !path.startsWith("/assets"));
  const shown = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const path of pages) {
      const { html } = await browser.open(path);
      // What the address says, the page may say again.
      const asked = decodeURIComponent(path).split(/[/=?&]/);
      const text = asked
        .filter((part) => markers.all.includes(part))
        .reduce((left, part) => left.replaceAll(part, "…"), withoutAgentRules(html));
      if (markers.all.some((marker) => text.includes(marker))) found.push(path);
    }
    return found;
  };
  expect((await shown()).length).toBeGreaterThan(3);
  await begin(world);
  expect(await shown()).toEqual([]);
});

it("refuses what is published for the user until the erasure has ended, and takes it afterwards", async () => {
  const world = await newWorld();
  const body = {
    ...{ user_id: VICTIM, session_id: "s", request_id: "late", agent_version: VERSION },
    interaction_data_list: [{ role: "User", content: "I am back" }],
  };
  await begin(world);
  const refused = await world.call("POST", "/api/publish_interaction", body);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await refused.text()).toContain("being erased");
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  expect(await world.ok("POST", "/api/publish_interaction", body)).toMatchObject({ success: true });
  expect(await world.ok("POST", "/api/get_interactions", { user_id: VICTIM })).toMatchObject({
    interactions: [{ content: "I am back" }],
  });
});

it("learns nothing from a window that was under way", async () => {
  let isMarked = false;
  const world: World = await newWorld({
    embedder: {
      ...tokenVector,
      // The lessons are there and their rules are about to be written.
      async embed(texts, purpose) {
        if (!isMarked) await begin(world);
        isMarked = true;
        return tokenVector.embed(texts, purpose);
      },
    },
  });
  await world.ok("POST", "/api/publish_interaction", {
    ...{ user_id: VICTIM, session_id: "s", request_id: "r", agent_version: VERSION, force_extraction: true },
    interaction_data_list: [{ role: "User", content: "RULE When asked | Say it" }],
  });
  await workOff(world);
  expect(isMarked).toBe(true);
  world.clock.advance(700_000);
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  await workOff(world);
  const rules = await db.all(
    z.object({ n: z.int() }),
    sql`SELECT (SELECT count(*) FROM user_playbooks WHERE org_id = ${world.tenant.orgId})
        + (SELECT count(*) FROM windows WHERE org_id = ${world.tenant.orgId})
        + (SELECT count(*) FROM cursors WHERE org_id = ${world.tenant.orgId}) AS n`,
  );
  expect(rules).toEqual([{ n: 0 }]);
});
