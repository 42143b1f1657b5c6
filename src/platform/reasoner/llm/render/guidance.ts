/** What an org says about its agent, cut to size, for the part of the system message that stays the same. */
import type { Guidance } from "../../port";
import { guidanceLimits as limits } from "./limits";
import { cleanText, cutMiddle, singleLine } from "./text";

const unsaid = "(nothing was said)";

export interface GuidanceVariables {
  agent_context: string;
  extraction_definition: string;
  tools: string;
}

export function renderGuidance(guidance: Guidance): GuidanceVariables {
  const toolLines = guidance.tools.slice(0, limits.tools).map((tool) => {
    const name = singleLine(tool.tool_name, limits.toolNameChars);
    return `- ${name}: ${singleLine(tool.tool_description, limits.toolDescriptionChars)}`;
  });
  if (guidance.tools.length > limits.tools) toolLines.push(`(${guidance.tools.length - limits.tools} more)`);
  const section = (text: string, maxChars: number): string =>
    cutMiddle(cleanText(text).trim(), maxChars) || unsaid;
  return {
    agent_context: section(guidance.agentContext, limits.agentContextChars),
    extraction_definition: section(guidance.extractionDefinition, limits.definitionChars),
    tools: cutMiddle(toolLines.join("\n"), limits.toolsTotalChars) || "(none are named)",
  };
}
