/** What a conversation is about, as a query. Pure. */

export interface Message {
  role: string;
  content: string;
}

/** The user's last turns say what is wanted now. */
const TURNS = 2;
const MAX_CHARS = 4_000;

/** The last two turns of the user, the newest first and at most 4,000 characters; of anybody where no user speaks. */
export function queryOfConversation(messages: readonly Message[]): string {
  const spoken = messages.filter(({ content }) => content.trim() !== "");
  const byUser = spoken.filter(({ role }) => /^(?:user|human|customer)$/i.test(role.trim()));
  return (byUser.length > 0 ? byUser : spoken)
    .slice(-TURNS)
    .reverse()
    .map(({ content }) => content.trim())
    .join("\n")
    .slice(0, MAX_CHARS);
}
