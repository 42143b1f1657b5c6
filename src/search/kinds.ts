/** The two kinds of rule that search finds, and how a rule of either is cited. */

export const playbookKinds = ["user_playbook", "agent_playbook"] as const;
export type PlaybookKind = (typeof playbookKinds)[number];

/** A rule's citation tag without brackets, `ap-12` or `up-7`: no other rule of the org has it. */
export const tagOf = (kind: PlaybookKind, id: number): string =>
  `${kind === "agent_playbook" ? "ap" : "up"}-${id}`;
