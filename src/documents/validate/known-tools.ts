/**
 * Which tools a document knows: those it defines, those that its MCP servers and connectors offer.
 *
 * A server offers the tools that it lists. One that lists none may offer any, so that no name is called unknown beside
 * it; a run gives a step only what is there. Connectors never list theirs: a name that begins with the connector's
 * (`gmail.send`, `gmail_send`, `gmail/send`) is taken for one of its tools.
 */
import type { Json } from "../model";
import { asList, asObject, asText, type DocumentView, isObject, type ToolView, textsOf } from "./view";

export class KnownTools {
  /** By name; more than one where a name is used twice. */
  readonly defined = new Map<string, ToolView[]>();
  private readonly listed = new Set<string>();
  private readonly prefixes = new Set<string>();
  /** A declared server does not say which tools it has. */
  readonly isOpen: boolean;

  constructor({ tools, requires, manifest }: DocumentView) {
    for (const tool of tools) {
      if (tool.name === null) continue;
      this.defined.set(tool.name, [...(this.defined.get(tool.name) ?? []), tool]);
    }
    let isOpen = requires.mcpServers !== undefined && !Array.isArray(requires.mcpServers);
    for (const server of asList(requires.mcpServers)) {
      const offered = isObject(server) ? server.tools : undefined;
      if (!Array.isArray(offered)) isOpen = true;
      const name = nameOf(server, "name");
      for (const { text } of textsOf(offered)) {
        this.listed.add(text);
        if (name !== null) for (const separator of SEPARATORS) this.listed.add(name + separator + text);
      }
    }
    this.isOpen = isOpen;
    for (const connection of asList(requires.connections)) {
      for (const member of ["id", "provider"]) {
        const name = nameOf(connection, member);
        if (name) this.prefixes.add(name);
      }
    }
    for (const { text } of textsOf(manifest.requiredConnectors)) if (text) this.prefixes.add(text);
  }

  /** Whether a step may name this tool. */
  has(name: string): boolean {
    if (this.isOpen || this.defined.has(name) || this.listed.has(name)) return true;
    return [...this.prefixes].some((prefix) =>
      SEPARATORS.some(
        (separator) => name.startsWith(prefix + separator) && name.length > (prefix + separator).length,
      ),
    );
  }

  /** Names that a mistyped one may have meant. */
  get names(): string[] {
    return [...this.defined.keys(), ...this.listed];
  }

  /** What a tool of this name needs, as far as the document says it. */
  permissionsOf(name: string): string[] {
    return (this.defined.get(name) ?? []).flatMap(({ tool }) =>
      textsOf(tool.permissions).map(({ text }) => text),
    );
  }
}

const SEPARATORS = [".", "/", ":", "_", "-"];

/** A declaration is its name, or an object that holds it. */
const nameOf = (declared: Json, member: string): string | null =>
  asText(declared) ?? asText(asObject(declared)[member]);
