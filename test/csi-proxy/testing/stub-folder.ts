import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder of a program that stands in for PowerShell. The program notes each operation there, waits as long as its gate is shut, and
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

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}
