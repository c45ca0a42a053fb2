import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";

/** What a process of the stub was started with. */
export interface StubStart {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A program that takes powershell.exe's arguments and runs JavaScript instead of PowerShell: a test gives it scripts of its own, and the
 * processes are real. A script may use `print(value)`, which writes a line of JSON; `gate(name)`, which waits until the test opens it;
 * and `mark(name)`, which the test waits for; and, as a session, `serve(answer)`. Whatever still runs ends with the folder.
 */
export class StubPowershell implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "stub-powershell-"));
  readonly path = join(this.#folder, "powershell");

  constructor() {
    const main = join(this.#folder, "main.mjs");
    writeFileSync(main, interpreter(this.#folder));
    writeFileSync(this.path, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
  }

  open(gate: string): void {
    writeFileSync(join(this.#folder, `gate-${gate}`), "");
  }

  shut(gate: string): void {
    rmSync(join(this.#folder, `gate-${gate}`));
  }

  marked(name: string): boolean {
    return existsSync(join(this.#folder, `mark-${name}`));
  }

  async untilMarked(name: string): Promise<void> {
    await until(`the stub marks ${name}`, () => this.marked(name));
  }

  /** All processes so far, in the order of their start. */
  get starts(): readonly StubStart[] {
    return readdirSync(this.#folder)
      .filter((file) => file.startsWith("start-") && file.endsWith(".json"))
      .map((file) => JSON.parse(readFileSync(join(this.#folder, file), "utf8")))
      .toSorted((a, b) => a.at - b.at);
  }

  /** The processes that have not ended. */
  get alive(): readonly number[] {
    return this.starts.map(({ pid }) => pid).filter(isAlive);
  }

  async untilAllEnded(): Promise<void> {
    await until(
      () => `the processes ${this.alive} end`,
      () => this.alive.length === 0,
    );
  }

  /** Removes the folder, which ends all processes, and waits for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    const started = this.alive;
    rmSync(this.#folder, { recursive: true, force: true });
    await until(
      () => `the processes ${started} end`,
      () => !started.some(isAlive),
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const interpreter = (folder: string) => `
import { existsSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const folder = ${JSON.stringify(folder)};
const file = folder + "/start-" + process.pid;
const { PWD, OLDPWD, SHLVL, _, ...env } = process.env;
writeFileSync(file, JSON.stringify({ at: performance.timeOrigin, pid: process.pid, argv: process.argv.slice(2), env }));
renameSync(file, file + ".json");
setInterval(() => existsSync(folder) || process.exit(99), 50).unref();
const write = (text, to = 1) => {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) {
    try { from += writeSync(to, bytes, from); } catch (error) { if (error.code !== "EAGAIN") throw error; }
  }
};
const print = (value) => write(JSON.stringify(value) + "\\n");
const mark = (name) => writeFileSync(folder + "/mark-" + name, "");
const isOpen = (name) => existsSync(folder + "/gate-" + name);
const gate = async (name) => {
  while (!isOpen(name)) {
    if (!existsSync(folder)) process.exit(99);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
/** A session: answers each line with what the function returns. */
const serve = async (answer) => {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const reply = await answer(request, line);
    if (reply !== undefined) print({ id: request.id, ...reply });
  }
};
/** Starts something that outlives this process, with its stdout and stderr. */
const holdPipes = () => {
  const { pid } = spawn("sh", ["-c", "while [ -d " + folder + " ]; do sleep 0.02; done"], { stdio: "inherit", detached: true });
  writeFileSync(folder + "/start-" + pid + ".json", JSON.stringify({ at: performance.timeOrigin + 1, pid, argv: [], env: {} }));
};
const tools = { write, print, mark, gate, isOpen, serve, holdPipes };
const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction(...Object.keys(tools), process.argv.at(-1))(...Object.values(tools));
`;
