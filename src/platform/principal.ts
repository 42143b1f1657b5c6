/** Who a request acts for, and what roles allow. */

export const scopes = ["read", "publish", "write", "review", "admin"] as const;
export type Scope = (typeof scopes)[number];

export const roles = ["agent", "editor", "reviewer", "owner"] as const;
export type Role = (typeof roles)[number];

/** Whatever makes a rule approved needs `review`; keys made for agents do not have it. */
export const scopesOfRole: Record<Role, readonly Scope[]> = {
  agent: ["read", "publish"],
  editor: ["read", "publish", "write"],
  reviewer: ["read", "write", "review"],
  owner: scopes,
};

export interface Principal {
  orgId: string;
  id: string;
  /** The key that was shown; absent where none was. */
  keyId?: string;
  roles: readonly string[];
  scopes: readonly Scope[];
}

export const scopesOf = (held: readonly Role[]): Scope[] =>
  scopes.filter((scope) => held.some((role) => scopesOfRole[role].includes(scope)));
