/** Prints what tests measured (`task.meta.measured`) and one closing line: `N passed, N failed`. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    measured?: string;
  }
}

export default class ClosingLine implements Reporter {
  private passed = 0;
  private failed = 0;
  private readonly measured: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.passed += 1;
    if (state === "failed") this.failed += 1;
    const { measured } = test.meta();
    if (measured !== undefined) this.measured.push(measured);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // A file that could not be loaded, or an error outside any test, has failed too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    for (const line of this.measured) console.log(line);
    console.log(`${this.passed} passed, ${this.failed + broken} failed`);
  }
}
