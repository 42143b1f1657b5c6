import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Two projects: pure code in plain Node, shells inside workerd. */
export default defineConfig({
  test: {
    silent: "passed-only",
    // Half of a worker's time is spent waiting for its runtime to start.
    maxWorkers: "100%",
    reporters: ["default", "./test/support/reporter.ts"],
    projects: [
      {
        test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node", testTimeout: 30_000 },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            main: "./src/index.ts",
            remoteBindings: false,
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ENVIRONMENT: "local",
                ADMIN_SECRET: "an-admin-secret-for-tests-only-0123456789",
                SECRETS_KEYS: JSON.stringify({ tests: Buffer.alloc(32, 7).toString("base64") }),
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts", "test/scenarios/**/*.test.ts"],
          setupFiles: ["./test/support/migrate.ts"],
          testTimeout: 30_000,
        },
      },
    ],
  },
});
