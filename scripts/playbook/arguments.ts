/** What the command line asks for. */
import { parseArgs } from "node:util";
import { UsageError } from "./source";

export const HELP = `npm run playbook -- COMMAND

  validate FILE… [--inspect] [--json]      every fault of a document, with line, column, code and what would be right
  graph FILE                               the steps as a Mermaid flowchart
  simulate FILE --script SCRIPT [--json]   runs it on a virtual clock and shows what happened, when, and at what cost
  export FILE                              the document in canonical form
  help                                     this text

FILE may be - for standard input. --inspect accepts documents of a newer minor version, with a warning.
SCRIPT is a JSON file with start, harness and script, as conformance vectors have them.
Ends with 0, with 1 when a document has errors, with 2 on wrong usage or an unreadable file.
`;

export type Asked =
  | { command: "help" }
  | { command: "validate"; files: string[]; inspect: boolean; json: boolean }
  | { command: "graph" | "export"; file: string }
  | { command: "simulate"; file: string; script: string; json: boolean };

const OPTIONS = {
  inspect: { type: "boolean" },
  json: { type: "boolean" },
  script: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;
type Option = keyof typeof OPTIONS;

/** The options that a command takes. */
const TAKES: Readonly<Record<Exclude<Asked["command"], "help">, readonly Option[]>> = {
  validate: ["inspect", "json"],
  graph: [],
  export: [],
  simulate: ["script", "json"],
};

const isCommand = (word: string): word is keyof typeof TAKES => Object.hasOwn(TAKES, word);

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError that says what would be right */
export function readArguments(args: readonly string[]): Asked {
  const { values, positionals } = parsed(args);
  const [command, ...files] = positionals;
  if (command === undefined && values.help !== true) throw new UsageError("No command is given.");
  if (command === undefined || command === "help" || values.help === true) return { command: "help" };
  if (!isCommand(command)) throw new UsageError(`There is no command ${JSON.stringify(command)}.`);
  const foreign = Object.keys(values).find((name) => !TAKES[command].some((option) => option === name));
  if (foreign !== undefined) throw new UsageError(`${command} does not take --${foreign}.`);

  const { inspect = false, json = false, script } = values;
  if (command === "validate") {
    if (files.length === 0) throw new UsageError("validate needs at least one file.");
    return { command, files, inspect, json };
  }
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new UsageError(`${command} needs one file, and ${files.length} are given.`);
  }
  if (command !== "simulate") return { command, file };
  if (script === undefined) throw new UsageError("simulate needs --script SCRIPT.json.");
  return { command, file, script, json };
}
