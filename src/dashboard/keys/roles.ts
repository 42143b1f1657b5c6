/** What each role may do, in the words of somebody who has to choose one. */
import type { Role } from "../../platform/principal";

export const roleText: Record<Role, { label: string; allows: string }> = {
  agent: {
    label: "Agent",
    allows: "publishes conversations, reads rules and asks for its prompt's context. For programs.",
  },
  editor: {
    label: "Editor",
    allows: "as an agent, and adds, edits and deletes rules and conversations. Approves nothing.",
  },
  reviewer: {
    label: "Reviewer",
    allows: "reads everything, edits rules, and alone with the owner approves or rejects them.",
  },
  owner: {
    label: "Owner",
    allows: "everything, and keys, settings, usage, dead letters and the webhook.",
  },
};

/** The checkbox of a role in the form. */
export const roleField = (role: Role): string => `role_${role}`;
