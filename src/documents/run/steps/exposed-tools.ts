/** The tools that a model may call in a step: those it is allowed, as far as the document was granted what they need. */
import type { AgentProgram, Program } from "../program";

export const exposedTools = ({ tools, granted }: Program, { source }: AgentProgram): string[] =>
  source.allowedTools.filter((name) =>
    (tools.get(name)?.permissions ?? []).every((permission) => granted.has(permission)),
  );
