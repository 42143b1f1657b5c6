/** The deployment check fails on what it is there for: each test breaks one thing in a copy of the file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readEnvironments } from "../../../scripts/deploy/config";
import { faultsOf, sharedStores } from "../../../scripts/deploy/faults";

const original = readFileSync(join(import.meta.dirname, "../../../wrangler.toml"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "playmaker-deploy-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every fault of a configuration, each with its environment. */
function check(toml: string): string[] {
  const file = join(folder, "wrangler.toml");
  writeFileSync(file, toml);
  const environments = readEnvironments(file);
  return [
    ...environments.flatMap((each) => faultsOf(each).map((fault) => `${each.name || "top"}: ${fault}`)),
    ...sharedStores(environments),
  ];
}

/** The file with one thing changed; a change that changes nothing is a fault of the test. */
function changed(from: string | RegExp, to: string): string {
  const toml = original.replace(from, to);
  expect(toml).not.toBe(original);
  return toml;
}

describe("the deployment check", () => {
  it("finds nothing wrong with the file as it is", () => {
    expect(check(original)).toEqual([]);
  });

  it.each([
    [
      "production that runs as local",
      'ENVIRONMENT = "production"',
      'ENVIRONMENT = "local"',
      /production: ENVIRONMENT is "local"/,
    ],
    [
      "production that calls itself staging",
      'ENVIRONMENT = "production"',
      'ENVIRONMENT = "staging"',
      /production: ENVIRONMENT is "staging"/,
    ],
    [
      "an environment without ENVIRONMENT",
      'ENVIRONMENT = "staging", ',
      "",
      /staging: ENVIRONMENT is "undefined"/,
    ],
    [
      "a top level that would serve",
      'name = "playmaker"\n',
      'name = "playmaker"\nvars = { ENVIRONMENT = "production" }\n',
      /top: the top level sets ENVIRONMENT/,
    ],
    [
      "a secret in vars",
      'VECTORS = "vectorize"',
      'VECTORS = "vectorize", ADMIN_SECRET = "x"',
      /staging: ADMIN_SECRET stands in vars/,
    ],
    [
      "a key in vars",
      'VECTORS = "vectorize"',
      'VECTORS = "vectorize", LLM_API_KEY = "x"',
      /staging: LLM_API_KEY stands in vars/,
    ],
    [
      "a queue without a dead-letter queue",
      ', dead_letter_queue = "playmaker-work-staging-dead"',
      "",
      /staging: queue playmaker-work-staging has no dead-letter/,
    ],
    [
      "a dead-letter queue that nobody reads",
      /\n {2}\{ queue = "playmaker-work-staging-dead".*/,
      "",
      /staging: nothing consumes playmaker-work-staging-dead/,
    ],
    [
      "a queue that nobody reads",
      'binding = "WORK", queue = "playmaker-work-staging"',
      'binding = "WORK", queue = "other"',
      /staging: nothing consumes other/,
    ],
    [
      "a rate limit that is missing",
      /\n {2}\{ name = "LIMIT_5", namespace_id = "2005".*/,
      "",
      /staging: no rate limit LIMIT_5/,
    ],
    [
      "a database that two environments share",
      'database_name = "playmaker-staging"',
      'database_name = "playmaker-production"',
      /D1 database playmaker-production is shared/,
    ],
  ])("finds %s", (_, from, to, fault) => {
    expect(check(changed(from, to))).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  it("takes environments from the file: one more that binds nothing is found", () => {
    const faults = check(`${original}\n[env.preview]\nvars = { ENVIRONMENT = "local" }\n`);
    expect(faults).toEqual(
      expect.arrayContaining([expect.stringMatching(/preview: ENVIRONMENT is "local"/)]),
    );
    expect(faults.filter((fault) => fault.startsWith("preview: no ")).length).toBeGreaterThan(5);
  });
});
