/** A Python new enough for the client, a virtual environment of its own, and programs run in it. */
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** What the client asks for. */
const MIN_MINOR = 12;
/** Environments are kept here, one for each content of the requirements and interpreter. */
const CACHE = resolve(".playmaker", "venvs");

/** The minor version of a Python 3, or null where the program is none. */
function minorOf(program: string): number | null {
  const { status, stdout } = spawnSync(
    program,
    ["-c", "import sys; print(sys.version_info[1] if sys.version_info[0] == 3 else -1)"],
    { encoding: "utf8" },
  );
  return status === 0 ? Number(stdout) : null;
}

/** Where versions stand side by side: pyenv's folder, and the one that `python3` itself comes from. */
function versionFolders(): string[] {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.base_prefix)"], {
    encoding: "utf8",
  });
  return [
    join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions"),
    ...(status === 0 ? [dirname(stdout.trim())] : []),
  ].filter((folder) => existsSync(folder));
}

/** Interpreters that may be there: by name, and those that have none. */
function candidates(): string[] {
  const asked = process.env.COMPAT_PYTHON;
  if (asked !== undefined) return [asked];
  const held = versionFolders().flatMap((folder) =>
    readdirSync(folder).map((version) => join(folder, version, "bin", "python3")),
  );
  return ["python3", ...[12, 13, 14].map((minor) => `python3.${minor}`), ...held];
}

/** @throws Error when there is none that the client runs on */
function findPython(): string {
  const found = candidates().find((program) => (minorOf(program) ?? 0) >= MIN_MINOR);
  if (found === undefined) {
    throw new Error(
      `The client needs Python 3.${MIN_MINOR} or newer, and none was found. Name one in COMPAT_PYTHON.`,
    );
  }
  return found;
}

function run(program: string, args: readonly string[], options: SpawnOptions): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", ...options });
  return new Promise((done, failed) => {
    child.once("error", failed);
    // An interrupted program has no code of its own.
    child.once("exit", (code) => done(code ?? 1));
  });
}

/**
 * Makes a virtual environment with the given requirements, or takes the one made before.
 *
 * @returns its interpreter. @throws Error when the requirements cannot be installed
 */
export async function virtualEnvironment(requirements: string, stop: AbortSignal): Promise<string> {
  const python = findPython();
  const key = createHash("sha256")
    .update(readFileSync(requirements))
    .update(python)
    .digest("hex")
    .slice(0, 16);
  const home = join(CACHE, key);
  const done = join(home, "complete");
  if (!existsSync(done)) {
    mkdirSync(CACHE, { recursive: true });
    rmSync(home, { recursive: true, force: true });
    const steps: [string, string[]][] = [
      [python, ["-m", "venv", home]],
      [
        join(home, "bin", "python"),
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements],
      ],
    ];
    for (const [program, args] of steps) {
      const code = await run(program, args, { signal: stop });
      if (code !== 0) throw new Error(`${[program, ...args].join(" ")} ended with ${code}.`);
    }
    // Written last, and at once: an environment that was cut short is made anew.
    writeFileSync(`${done}.new`, "");
    renameSync(`${done}.new`, done);
  }
  return join(home, "bin", "python");
}

/** Settings of a shell that would send the client elsewhere or through a proxy. */
const NOT_PASSED_ON = ["REFLEXIO_URL", "REFLEXIO_API_KEY", "IS_TEST_ENV", "PYTHONPATH", "PYTHONHOME"];

/** @returns the program's exit code */
export function runPython(
  python: string,
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  stop: AbortSignal,
): Promise<number> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.includes(name)),
  );
  const env = { ...inherited, NO_PROXY: "127.0.0.1", PYTHONDONTWRITEBYTECODE: "1", ...settings };
  return run(python, [program, ...args], { env, signal: stop });
}
