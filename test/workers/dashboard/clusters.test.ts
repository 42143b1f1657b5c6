/** The page of clusters: every rule a point that leads somewhere, every cluster by number and name. */
import { describe, expect, it } from "vitest";
import { newKey, newOrg, signedIn, TestBrowser } from "./browser";
import { type SeedRule, seedCluster, seedRules } from "./map-seed";

const PATH = "/desk/clusters";

/** Three clusters of three rules each, and a lone one. */
const three = (): SeedRule[] => [
  ...[1, 2, 3].flatMap((cluster) =>
    [0, 1, 2].map((member) => ({
      id: cluster * 10 + member,
      axis: cluster * 7,
      cluster: `c${cluster}`,
      userId: cluster === 1 && member > 0 ? "twin" : `user-${cluster}-${member}`,
    })),
  ),
  { id: 90, axis: 100 },
];

const pointsOf = (html: string): string[] =>
  [...html.matchAll(/<a href="([^"]+)" data-tip="">/g)].map(([, href]) => href ?? "");
const tipsOf = (html: string): string[] =>
  [...html.matchAll(/data-tip=""><title>([^<]*)<\/title>/g)].map(([, tip]) => tip ?? "");

describe("without rules", () => {
  it("says what to do first", async () => {
    const { html, status } = await (await signedIn(await newOrg())).open(PATH);
    expect(status).toBe(200);
    expect(html).toContain("No rule was learned yet");
    expect(html).toContain("/api/publish_interaction");
    expect(html).not.toContain('<svg class="chart plot"');
  });

  it("says so of one version, and offers the others", async () => {
    const org = await newOrg();
    await seedRules(org.orgId, [{ id: 1, axis: 1, status: "archived" }], "old");
    await seedRules(org.orgId, [{ id: 2, axis: 1 }], "new");
    const { html } = await (await signedIn(org)).open(`${PATH}?agent_version=old`);
    expect(html).toContain("This version has no current rule");
    expect(html).toMatch(/<option value="new">/);
  });
});

describe("the plot", () => {
  it("holds every rule as a link with what it says, and names each cluster's agent playbook", async () => {
    const org = await newOrg();
    for (const cluster of [1, 2, 3]) {
      await seedCluster(org.orgId, `c${cluster}`, cluster, {
        approval: cluster === 1 ? "approved" : "pending",
      });
    }
    await seedRules(org.orgId, three());
    const { html } = await (await signedIn(org)).open(`${PATH}?agent_version=v1`);
    expect(pointsOf(html).sort()).toEqual(
      three()
        .map(({ id }) => `/desk/user-playbooks?id=${id}`)
        .sort(),
    );
    expect(tipsOf(html)).toContain(
      "When trigger 90\nDo content 90\n(#90, in no cluster: aggregation has not looked at it yet)",
    );
    expect(html).toContain("10 rules in 3 clusters");
    expect(html).toMatch(/href="\/\?rule=1">#1<\/a>/);
    expect(html).toMatch(/approved<\/span>/);
    // Rules and users of each cluster; two rules of the first are one user's.
    const numbers = [...html.matchAll(/<td class="number">(\d+)<\/td>/g)].map(([, count]) => count);
    expect(numbers).toEqual(["3", "2", "3", "3", "3", "3"]);
  });

  it("tells clusters apart by shape and number as well as by colour", async () => {
    const org = await newOrg();
    for (const cluster of [1, 2, 3]) await seedCluster(org.orgId, `c${cluster}`, cluster);
    await seedRules(org.orgId, three());
    const { html } = await (await signedIn(org)).open(PATH);
    const marks = [...html.matchAll(/<use href="#outline-(\d)" class="([^"]+)"/g)].map(
      ([, shape, colour]) => `${shape} ${colour}`,
    );
    expect(new Set(marks)).toEqual(new Set(["0 s1", "1 s2", "2 s3", "0 lone"]));
    expect([...html.matchAll(/class="number-label"[^>]*>(\d)</g)].map(([, number]) => number)).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  it("is the same every time", async () => {
    const org = await newOrg();
    await seedRules(
      org.orgId,
      three().map(({ cluster: _, ...rule }) => rule),
    );
    const browser = await signedIn(org);
    const drawing = async () =>
      /<svg class="chart plot"[\s\S]*?<\/svg>/.exec((await browser.open(PATH)).html)?.[0];
    const first = await drawing();
    expect(first).toBeDefined();
    expect(await drawing()).toBe(first);
  });

  it("sets rules of one situation side by side", async () => {
    const org = await newOrg();
    await seedRules(
      org.orgId,
      Array.from({ length: 30 }, (_, position) => ({ id: position + 1, axis: 5 })),
    );
    const { html } = await (await signedIn(org)).open(PATH);
    const places = [...html.matchAll(/<use [^>]*x="([\d.]+)" y="([\d.]+)"/g)].map(([, x, y]) => `${x} ${y}`);
    expect(new Set(places).size).toBe(30);
  });

  it("leaves out rules without a vector and says how many, but lists them", async () => {
    const org = await newOrg();
    await seedRules(org.orgId, [
      { id: 1, axis: 1 },
      { id: 2, axis: null },
    ]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(pointsOf(html)).toEqual(["/desk/user-playbooks?id=1"]);
    expect(html).toContain("1 rule cannot be drawn");
    expect(html).toContain("content 2");
    await seedRules(org.orgId, [{ id: 3, axis: null }], "v2");
    const unready = await (await signedIn(org)).open(`${PATH}?agent_version=v2`);
    expect(unready.html).not.toContain('class="chart plot"');
    expect(unready.html).toContain("content 3");
  });

  it("draws the newest 2,000 rules and says that there are more", async () => {
    const org = await newOrg();
    const many = Array.from({ length: 2_001 }, (_, position) => ({ id: position + 1, axis: position % 50 }));
    for (let first = 0; first < many.length; first += 500) {
      await seedRules(org.orgId, many.slice(first, first + 500));
    }
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toContain("The newest 2,000 rules are shown; this version has more.");
    const points = pointsOf(html);
    expect(points).toHaveLength(2_000);
    expect(points).not.toContain("/desk/user-playbooks?id=1");
    expect(html.length).toBeLessThan(2_000_000);
  });
});

describe("what is hostile", () => {
  it("is shown as text, cut, with its hidden characters named", async () => {
    const org = await newOrg();
    const version = '"><script>alert(0)</script>';
    await seedCluster(org.orgId, "c1", 1, {
      trigger: "<img src=x onerror=alert(1)>",
      content: "[x](javascript:alert(2))\u202egnp",
      version,
    });
    await seedRules(
      org.orgId,
      [
        {
          id: 1,
          axis: 1,
          cluster: "c1",
          trigger: "</title><script>alert(3)</script>",
          content: "x".repeat(1_000_000),
        },
        { id: 2, axis: 2, cluster: "c1", trigger: null, content: "\u202e" },
      ],
      version,
    );
    const { html } = await (await signedIn(org)).open(`${PATH}?agent_version=${encodeURIComponent(version)}`);
    expect(html).toContain("2 rules in 1 cluster");
    expect(html).not.toMatch(/<script>|<img|href="javascript:/i);
    expect(html).toContain("&lt;/title&gt;&lt;script&gt;");
    expect(html).toContain("⟦U+202E⟧gnp");
    expect(html).toContain("When always");
    expect(html.length).toBeLessThan(60_000);
  });

  it("reaches no further than its org", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    await seedCluster(org.orgId, "c1", 1, { content: "quillonite" });
    await seedRules(org.orgId, [{ id: 1, axis: 1, cluster: "c1", content: "quillonite" }]);
    await seedRules(other.orgId, [{ id: 1, axis: 1, cluster: "c1" }]);
    const { html } = await (await signedIn(other)).open(`${PATH}?agent_version=v1`);
    expect(html).toContain("content 1");
    expect(html).not.toContain("quillonite");
  });
});

it("names no user, and is open to every key that may read", async () => {
  const org = await newOrg();
  await seedRules(org.orgId, [{ id: 1, axis: 1, userId: "zanzibar" }]);
  const browser = await new TestBrowser().signIn(await newKey(org, "bot", ["agent"]));
  const { html, status } = await browser.open(PATH);
  expect([status, html.includes("zanzibar")]).toEqual([200, false]);
});

it("opens with the version whose users taught last", async () => {
  const org = await newOrg();
  await seedRules(org.orgId, [{ id: 1, axis: 1 }], "zeta");
  await seedRules(org.orgId, [{ id: 2, axis: 1 }], "alpha");
  const { html } = await (await signedIn(org)).open(PATH);
  expect(html).toContain('<option value="alpha" selected="">');
});
