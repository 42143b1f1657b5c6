/** What the demo prints. */
const useColour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number) => (text: string) => (useColour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const green = paint(32);
export const cyan = paint(36);

export const heading = (text: string): void => console.log(`\n${bold(text)}`);

/** Wraps at 96 columns under a hanging indent. */
export function indent(text: string, by: number, first = " ".repeat(by)): string {
  const width = 96 - by;
  return text
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}(?:\\s|$)|.{1,${width}}`, "g")) ?? [""])
    .map((line, position) => `${position === 0 ? first : " ".repeat(by)}${line.trimEnd()}`)
    .join("\n");
}

/** A bar that redraws itself on a terminal and prints one line per step elsewhere. */
export function progress(label: string, total: number): (done: number) => void {
  let last = -1;
  return (done) => {
    if (done === last) return;
    last = done;
    const bar = `${"█".repeat(Math.round((done / total) * 24)).padEnd(24, "░")}`;
    const line = `  ${label} ${bar} ${done}/${total}`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === total ? "\n" : ""}`);
    else console.log(line);
  };
}
