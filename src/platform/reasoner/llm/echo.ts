/** Tells an answer that repeats its prompt from one that answers it. Pure. */

/** Lines of instructions this long do not occur in an answer by chance. */
const minLineChars = 60;

/** Folds what JSON strings and renderers change: white space, escapes, quotation marks, case. */
function fold(text: string): string {
  return text
    .replaceAll("\\n", " ")
    .replace(/[\\"'`“”‘’*]/g, "")
    .replace(/\s+/g, " ")
    .toLowerCase();
}

/**
 * True when the answer holds the fence's tag, or a whole long line of the instructions.
 * @param instructions as written, without anything an org or a conversation put in
 */
export function echoesPrompt(answer: string, instructions: string, tag: string): boolean {
  if (answer.includes(tag)) return true;
  const folded = fold(answer);
  return instructions
    .split("\n")
    .map((line) => fold(line).replace(/^- /, "").trim())
    .some((line) => line.length >= minLineChars && folded.includes(line));
}
