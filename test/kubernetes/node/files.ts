import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Where a node keeps its files, all in one folder. */
export interface NodeFiles {
  /** `kubelet`, `containerd`, ...: made when asked for. */
  folder(name: string): string;
  file(name: string): string;
  /** The log of a program, in the folder that is kept. */
  log(program: string): string;
}

export function nodeFiles(work: string, logs: string): NodeFiles {
  const made = (path: string) => {
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    folder: (name) => made(join(work, name)),
    file: (name) => join(work, name),
    log: (program) => join(made(logs), `${program}.log`),
  };
}
