/** The rooms and arrows of the house: who may import whom. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../../../src");

/** A room may import these rooms, and itself. Files at the root of src are rooms of their own. */
const ARROWS: Record<string, readonly string[]> = {
  platform: [],
  db: ["platform"],
  env: [],
  services: ["db", "env", "platform"],
  http: ["db", "env", "platform", "services"],
  orgs: ["db", "http", "platform", "services", "env"],
  interactions: ["db", "http", "orgs", "platform", "services", "search"],
  playbooks: ["db", "http", "orgs", "platform", "services", "search", "interactions"],
  search: ["db", "http", "orgs", "platform", "services"],
  learning: ["db", "http", "orgs", "platform", "services", "interactions", "playbooks", "search"],
  // A Durable Object is an entry of its own: it builds its services itself.
  aggregation: ["compose", "db", "http", "orgs", "platform", "services", "playbooks", "search"],
  revocations: ["db", "http", "orgs", "platform", "services", "interactions", "playbooks"],
  erasure: [
    "db",
    "http",
    "orgs",
    "platform",
    "services",
    "interactions",
    "playbooks",
    "search",
    "aggregation",
    "revocations",
  ],
  schedules: [],
  documents: ["http", "schedules"],
  dashboard: [
    "db",
    "http",
    "orgs",
    "platform",
    "services",
    "interactions",
    "playbooks",
    "search",
    "learning",
    "aggregation",
    "revocations",
  ],
  compose: ["db", "env", "orgs", "platform", "services"],
  work: [
    "db",
    "http",
    "orgs",
    "services",
    "interactions",
    "learning",
    "playbooks",
    "search",
    "aggregation",
    "revocations",
    "erasure",
  ],
  routes: [
    "http",
    "orgs",
    "interactions",
    "learning",
    "playbooks",
    "search",
    "aggregation",
    "revocations",
    "erasure",
    "documents",
    "dashboard",
  ],
  index: ["compose", "http", "routes", "work", "aggregation", "platform"],
};

interface Import {
  from: string;
  to: string;
  file: string;
  typeOnly: boolean;
}

/** What runs in a reader's browser is a world of its own; only its bundle comes into the Worker. */
const IN_BROWSER = /^dashboard\/browser\/(?!generated)/;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts") && !IN_BROWSER.test(file),
);
const roomOf = (path: string): string => path.split("/")[0]?.replace(/\.tsx?$/, "") ?? "";

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/^(import|export)( type)?[^;]*? from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm)].map(
    (match) => ({
      from: roomOf(file),
      to: roomOf(relative(SRC, resolve(SRC, dirname(file), match[3] ?? match[4] ?? ""))),
      file,
      typeOnly: match[2] !== undefined,
    }),
  );
});

describe("the house", () => {
  it("has no room that the map does not know", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it("has no arrow that the map does not allow", () => {
    const forbidden = imports
      .filter(({ from, to }) => from !== to && !ARROWS[from]?.includes(to))
      .map(({ file, to }) => `${file} → ${to}`);
    expect(forbidden).toEqual([]);
  });

  it("keeps Cloudflare out of pure files", () => {
    const shells =
      /(store|routes|consumer|coordinator|compose|index|embedded|vectorize|workers-ai)[\w-]*\.tsx?$/;
    const leaks = files
      .filter((file) => !shells.test(file))
      .filter((file) => /from "cloudflare:/.test(readFileSync(join(SRC, file), "utf8")));
    expect(leaks).toEqual([]);
  });

  it("reads the clock and makes random ids in their ports only", () => {
    const leaks = files
      .filter((file) => !/^(platform\/(clock|ids)|orgs\/keys|dashboard\/browser\/generated)\.ts$/.test(file))
      .filter((file) =>
        /\b(Date\.now\(\)|new Date\(\)|Math\.random\(|crypto\.randomUUID|getRandomValues)/.test(
          readFileSync(join(SRC, file), "utf8"),
        ),
      );
    expect(leaks).toEqual([]);
  });

  it("keeps SQL in stores", () => {
    const allowed = /(^db\/|store[\w-]*\.ts$|-store\.ts$|platform\/vectors\/embedded)/;
    const leaks = files
      .filter((file) => !allowed.test(file))
      .filter((file) =>
        /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[\s\S]{0,200}?\b(FROM|VALUES|SET|WHERE)\b/.test(
          readFileSync(join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
        ),
      );
    expect(leaks).toEqual([]);
  });
});
