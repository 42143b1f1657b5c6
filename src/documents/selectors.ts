/**
 * Selectors of `guardrails.requiresApprovalFor` (c.5): a permission, `prefix.*`, `tool:NAME`, `artifact:TYPE`. They
 * select effects, not steps, so that nothing dodges one by taking another tool with the same permission.
 */

/** Whether a selector names this permission, or a prefix of it. */
export const selectsPermission = (selector: string, permission: string): boolean =>
  selector === permission || (selector.endsWith(".*") && permission.startsWith(selector.slice(0, -1)));

/** Whether a selector names this tool or one of the permissions that it needs. */
export const selectsTool = (selector: string, tool: string, permissions: readonly string[]): boolean =>
  selector === `tool:${tool}` || permissions.some((permission) => selectsPermission(selector, permission));

/** Whether a selector names artifacts of this type. */
export const selectsArtifact = (selector: string, type: string): boolean => selector === `artifact:${type}`;
