import { describe, expect, it } from "vitest";
import { type Role, roles, scopesOf } from "../../../src/platform/principal";
import { assertMayDecide, matchesVersion } from "../../../src/playbooks/approval";
import { type ApprovalStatus, approvalStatuses } from "../../../src/playbooks/model";

describe("the gate", () => {
  const states: (ApprovalStatus | null)[] = [null, ...approvalStatuses];
  const cases = roles.flatMap((role) =>
    states.flatMap((before) =>
      states.map((after): [Role, ApprovalStatus | null, ApprovalStatus | null] => [role, before, after]),
    ),
  );

  it.each(cases)("for %s: %s to %s needs review exactly where approved is touched", (role, before, after) => {
    const decide = () => assertMayDecide({ scopes: scopesOf([role]) }, before, after);
    const isReviewer = role === "reviewer" || role === "owner";
    if (!isReviewer && (before === "approved" || after === "approved")) expect(decide).toThrow(/"review"/);
    else expect(decide).not.toThrow();
  });

  it.each([
    [null, true],
    ["*", true],
    ['"3"', true],
    ["3", true],
    ['"1", "3"', true],
    ['"4"', false],
    ['W/"3"', false],
    ["", false],
    ['"33"', false],
  ])("reads If-Match %s against version 3 as %s", (header, matches) => {
    expect(matchesVersion(header, 3)).toBe(matches);
  });
});
