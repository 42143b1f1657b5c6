/** The attempt of an agent's cell. */
import type { AgentWork, Cell } from "../state";

/** @throws Error outside an attempt */
export function workOf(cell: Cell): AgentWork {
  if (!cell.agent) throw new Error(`"${cell.key}" has no attempt`);
  return cell.agent;
}
