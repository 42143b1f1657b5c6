import { defineConfig } from "vitest/config";

/** What mutants are held against: quick tests only. The long property tests run through nearly every line, for each mutant again. */
export default defineConfig({
  test: {
    include: [
      "test/mutation/*.test.ts",
      "test/unit/documents/run/*.test.ts",
      "test/unit/documents/validate/*.test.ts",
    ],
    exclude: ["**/{random-graphs,random-documents,mutations,loosening,dominators}.test.ts"],
    environment: "node",
  },
});
