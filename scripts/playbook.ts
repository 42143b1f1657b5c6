/** `npm run playbook`: validates, draws, simulates and exports playbook documents. */
import { exportDocument } from "../src/documents/export";
import { mermaidOf } from "../src/documents/graph";
import { scriptInstantMs } from "../src/documents/host/script";
import { simulate } from "../src/documents/host/simulate";
import type { Finding, PlaybookDocument } from "../src/documents/model";
import { type Validation, validateDocument } from "../src/documents/validate";
import { type Asked, HELP, readArguments } from "./playbook/arguments";
import { countsText, findingsText } from "./playbook/findings-text";
import { readScript } from "./playbook/script-file";
import { simulationJson, simulationLines } from "./playbook/simulation-text";
import { readSource, type Source, UnreadableFile, UsageError } from "./playbook/source";

const HAS_ERRORS = 1;
const WRONG_USAGE = 2;

const say = (text: string): void => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
const complain = (text: string): void => void process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);

function check({ bytes }: Source, mode: "publish" | "inspect"): Validation {
  return validateDocument({ text: bytes }, { mode, nowMs: Date.now() });
}

/** Reads what can be read; one unreadable file does not hide what is wrong with the others. */
function validate({ files, inspect, json }: Extract<Asked, { command: "validate" }>): number {
  const checked: { file: string; valid: boolean; findings: Finding[] }[] = [];
  let unreadable = 0;
  for (const path of files) {
    try {
      const source = readSource(path);
      const { valid, findings } = check(source, inspect ? "inspect" : "publish");
      checked.push({ file: source.name, valid, findings });
      if (!json && findings.length > 0) say(findingsText(source.name, source.bytes, findings).join("\n"));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      unreadable += 1;
      complain(error.message);
    }
  }
  if (json) say(JSON.stringify(checked, null, 2));
  else
    say(
      countsText(
        checked.flatMap(({ findings }) => findings),
        checked.length,
      ),
    );
  if (unreadable > 0) return WRONG_USAGE;
  return checked.every(({ valid }) => valid) ? 0 : HAS_ERRORS;
}

/** Says on standard error what is wrong; the standard output is for the answer alone. */
function complainOf(source: Source, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  complain(findingsText(source.name, source.bytes, findings).join("\n"));
  complain(countsText(findings, 1));
}

/** A faulty document is drawn as far as it can be read: seeing it may be how the fault is found. */
function graph(file: string): number {
  const source = readSource(file);
  const { document, findings } = check(source, "inspect");
  if (document === null) {
    complainOf(source, findings);
    return HAS_ERRORS;
  }
  say(mermaidOf(document));
  return 0;
}

function whenValid(file: string, work: (document: PlaybookDocument, source: Source) => number): number {
  const source = readSource(file);
  const { valid, document, findings } = check(source, "publish");
  if (valid && document !== null) return work(document, source);
  complainOf(source, findings);
  return HAS_ERRORS;
}

/** Ends with 1 when the start is refused or the script's own expectations are not met. */
function runScript({ file, script: path, json }: Extract<Asked, { command: "simulate" }>): number {
  const script = readScript(path);
  return whenValid(file, (document) => {
    const result = simulate({ ...script, documents: [document] });
    const startMs = scriptInstantMs(script.start.at, 0);
    say(
      json
        ? JSON.stringify(simulationJson(result, startMs), null, 2)
        : simulationLines(result, startMs).join("\n"),
    );
    return result.refusal === null && result.scriptFaults.length === 0 ? 0 : HAS_ERRORS;
  });
}

function run(asked: Asked): number {
  switch (asked.command) {
    case "help":
      say(HELP);
      return 0;
    case "validate":
      return validate(asked);
    case "graph":
      return graph(asked.file);
    case "export":
      return whenValid(asked.file, (document) => {
        say(exportDocument(document));
        return 0;
      });
    case "simulate":
      return runScript(asked);
  }
}

// A reader that has seen enough, such as head, closes the pipe.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
try {
  process.exitCode = run(readArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  complain(error instanceof UnreadableFile ? error.message : `${error.message}\n\n${HELP}`);
  process.exitCode = WRONG_USAGE;
}
