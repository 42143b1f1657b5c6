import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
export default defineConfig({ root: "/work/main", plugins: [cloudflareTest(async () => ({ main: "/work/main/test/workers/aggregation/.tmp/main.ts", remoteBindings: false,
  miniflare: { compatibilityDate: "2026-04-20", d1Databases: ["DB"], bindings: { ENVIRONMENT: "local", TEST_MIGRATIONS: await readD1Migrations("/work/main/migrations") } } }))],
  test: { name: "w", include: ["test/workers/aggregation/*.test.ts"], setupFiles: ["/work/main/test/support/migrate.ts"], testTimeout: 30000 } });
