import type { OperationParameters } from "../powershell/executor.ts";
import { volumeIdOf } from "../volume/volume-id.ts";
import type { SimulatedPart } from "./simulated-part.ts";
import { pathKey, type SimulatedPaths } from "./simulated-paths.ts";
import type { SimulatedShares } from "./simulated-shares.ts";

const mountPointTag = 0xa0000003;
const symlinkTag = 0xa000000c;

/** Mount points of a simulated host, over its directories and links. */
export class SimulatedReparsePoints implements SimulatedPart {
  readonly #paths: SimulatedPaths;
  readonly #shares: SimulatedShares;
  readonly #mountPoints = new Map<string, string>();

  constructor(paths: SimulatedPaths, shares: SimulatedShares) {
    this.#paths = paths;
    this.#shares = shares;
  }

  /** The volume that is mounted at a path. A mount point goes with its directory. */
  volumeAt(path: string): string | undefined {
    if (this.#paths.entry(path)?.kind !== "directory") this.#mountPoints.delete(pathKey(path));
    return this.#mountPoints.get(pathKey(path));
  }

  /** Windows' error code, 0 for success. */
  addMountPoint(path: string, volumeId: string): number {
    if (this.volumeAt(path)) return win32.directoryNotEmpty;
    const entry = this.#paths.entry(path);
    if (!entry) return win32.fileNotFound;
    if (entry.kind !== "directory") return win32.invalidDirectoryName;
    if (!entry.isEmpty) return win32.directoryNotEmpty;
    this.#mountPoints.set(pathKey(path), volumeId);
    return 0;
  }

  removeMountPoint(path: string): number {
    if (this.#mountPoints.delete(pathKey(path))) return 0;
    return this.#paths.entry(path) ? win32.notAReparsePoint : win32.fileNotFound;
  }

  readonly operations = {
    "fs.reparseInfo": ({ linkpath = "" }: OperationParameters) => {
      const volumeId = this.volumeAt(linkpath);
      // The form without a prefix is the one that needs most work from whoever reads it.
      if (volumeId) return { exists: true, isReparsePoint: true, tag: mountPointTag, target: volumeId.replace("\\\\?\\", "") };
      const entry = this.#paths.entry(linkpath);
      if (!entry) return { exists: false };
      if (entry.kind !== "symlink") return { exists: true, isReparsePoint: false };
      return { exists: true, isReparsePoint: true, tag: symlinkTag, target: entry.target };
    },
    "fs.testPath": ({ remotepath = "" }: OperationParameters) => {
      const volumeId = volumeIdOf(remotepath);
      if (volumeId) return { valid: [...this.#mountPoints.values()].includes(volumeId) };
      if (remotepath.startsWith("\\\\")) return { valid: this.#shares.isValid(remotepath) };
      return { valid: this.#paths.entry(remotepath) !== undefined };
    },
  };
}

const win32 = {
  fileNotFound: 2,
  directoryNotEmpty: 145,
  invalidDirectoryName: 267,
  notAReparsePoint: 4390,
} as const;
