/** Mutation testing of the validator and the reducer: `npm run mutation`. Its 7,515 mutants are nothing to wait for. */
export default {
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner"],
  mutate: ["src/documents/validate/**/*.ts", "src/documents/run/**/*.ts"],
  // Wordings of messages are no behaviour that a test should pin.
  mutator: { excludedMutations: ["StringLiteral"] },
  ignorePatterns: [".playmaker", ".wrangler", "assets", "dist"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  disableTypeChecks: false,
  // Stryker reads a tsconfig with an interface that TypeScript 7 does not have.
  tsconfigFile: "none.json",
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "json"],
  jsonReporter: { fileName: "node_modules/.cache/mutation.json" },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  tempDirName: ".stryker-tmp",
  thresholds: { high: 90, low: 80, break: 80 },
};
