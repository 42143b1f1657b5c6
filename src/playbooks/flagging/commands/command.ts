/** One way of commanding a model, as a pattern over folded text (lower case, single spaces, no disguise). */

export interface Command {
  /** Its gaps are bounded, so that a search is linear in the text. */
  readonly pattern: RegExp;
  /** True where a "never" before it turns it into good advice. */
  readonly isNegatable: boolean;
}

/** A command that a negation before it takes back. */
export const command = (source: string): Command => ({
  pattern: new RegExp(source, "gu"),
  isNegatable: true,
});

/** A command that is one however it is introduced. */
export const always = (source: string): Command => ({
  pattern: new RegExp(source, "gu"),
  isNegatable: false,
});
