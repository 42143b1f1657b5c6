import { defineConfig } from "vitest/config";

/** The pages in a real browser, against one local server that runs as it would on a laptop. */
export default defineConfig({
  test: {
    name: "e2e",
    include: ["test/e2e/**/*.test.ts"],
    environment: "node",
    globalSetup: ["./test/e2e/support/server.ts"],
    reporters: ["default", "./test/support/reporter.ts"],
    // One server and two cores: files wait for each other.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    silent: "passed-only",
  },
});
