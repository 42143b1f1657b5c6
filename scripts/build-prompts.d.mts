/** Types of build-prompts.mjs for the test that compares its output with the committed file. */
export declare function renderGenerated(): string;
