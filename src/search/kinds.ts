/** The two kinds of rule that search finds. */
export type PlaybookKind = "user_playbook" | "agent_playbook";
