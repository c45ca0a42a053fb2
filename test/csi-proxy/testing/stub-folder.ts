import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder of a program that stands in for PowerShell. The program notes there how it was started and each operation, waits as long as its gate is shut, and
 * answers with success and no data unless told otherwise.
 */
export class StubFolder implements Disposable {
  readonly path: string;

  constructor(path: string) {
    mkdirSync(path, { recursive: true });
    this.path = path;
    this.open();
  }

  /** The operations that PowerShell was asked for, so far. */
  get operations(): readonly string[] {
    return this.lines("operations");
  }

  /** How many of them have ended. */
  get ended(): number {
    return this.lines("ended").length;
  }

  /** The arguments of each process that stood in for PowerShell. */
  get starts(): readonly (readonly string[])[] {
    return this.#listsIn("arguments-");
  }

  /** The environments of these processes, in the same order. */
  get environments(): readonly (readonly string[])[] {
    return this.#listsIn("environment-");
  }

  /** What it noted in a file. */
  lines(name: string): readonly string[] {
    const file = join(this.path, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  open(): void {
    writeFileSync(join(this.path, "gate"), "");
  }

  shut(): void {
    rmSync(join(this.path, "gate"));
  }

  /** What is answered to an operation from now on. */
  answer(operation: string, envelope: object): void {
    writeFileSync(join(this.path, `answer-${operation}`), JSON.stringify(envelope));
  }

  #listsIn(files: string): readonly (readonly string[])[] {
    const names = readdirSync(this.path)
      .filter((name) => name.startsWith(files))
      .sort();
    return names.map((name) => readFileSync(join(this.path, name), "utf8").split("\0").slice(0, -1));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}
