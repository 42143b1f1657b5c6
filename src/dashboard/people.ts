/** How a page speaks of users: by name to reviewers, to others as "user 1", "user 2" in order of appearance. */

/** @param userIds every user of the page, in order of appearance */
export function peopleOf(
  userIds: readonly (string | null)[],
  mayNameUsers: boolean,
): (userId: string | null) => string {
  const known = [...new Set(userIds.filter((userId) => userId !== null))];
  return (userId) => {
    if (userId === null) return "no user";
    return mayNameUsers ? userId : `user ${known.indexOf(userId) + 1}`;
  };
}
