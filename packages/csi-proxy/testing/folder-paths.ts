import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../filesystem/file-error.ts";
import { hostPathMapping } from "../filesystem/host-path.ts";
import type { SimulatedEntry, SimulatedPaths } from "./simulated-paths.ts";

/**
 * The files of a simulated host in a folder, where the filesystem handler works on them with the same `hostRoot`. Names differ by case
 * there, other than on Windows.
 */
export class FolderPaths implements SimulatedPaths {
  readonly #hostRoot: string;

  constructor(hostRoot: string) {
    this.#hostRoot = hostRoot;
  }

  entry(path: string): SimulatedEntry | undefined {
    const host = hostPathMapping({ hostRoot: this.#hostRoot })(path);
    const entry = lookAt(host);
    if (!entry) return undefined;
    if (entry.isSymbolicLink()) return { kind: "symlink", target: this.#windowsPath(readlinkSync(host)) };
    if (entry.isDirectory()) return { kind: "directory", isEmpty: readdirSync(host).length === 0 };
    return { kind: "file" };
  }

  /** `<hostRoot>/C/data` → `C:\data`; links to shares stay as they are. */
  #windowsPath(target: string): string {
    const inRoot = join(this.#hostRoot, "/");
    if (!target.startsWith(inRoot)) return target;
    const [letter = "", ...names] = target.slice(inRoot.length).split("/");
    return `${letter}:\\${names.join("\\")}`;
  }
}

/** On Windows a path below a file is missing like any other. */
function lookAt(host: string): Stats | undefined {
  try {
    return lstatSync(host);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
