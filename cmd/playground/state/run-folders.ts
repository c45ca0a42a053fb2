import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";
import { GrpcServer } from "@csi-sidecars/csi";
import { UserError } from "../user-error.ts";
import { isSavedRun, type SavedRun } from "./cluster-shape.ts";
import { checkClusterFile } from "./save-cluster.ts";
import { readSavedFile, writeAtomically } from "./saved-file.ts";

/** The files and folders of one run. */
export interface RunFolders extends AsyncDisposable {
  /** Sockets, logs and credentials of this run: removed at the end. */
  readonly folder: string;
  /** Where the driver keeps volumes. */
  readonly volumes: string;
  /** Where the volumes of pods are mounted. */
  readonly pods: string;
  /** The administrator's kubeconfig, for the user. */
  readonly kubeconfig: string;
  /** The data folder of a real control plane. */
  readonly controlPlane: string;
  /** The data file of the embedded API server; absent without --state. */
  readonly clusterFile?: string;
  /** What an earlier run has saved. */
  readonly saved?: SavedRun;
  /** Saves it for the next run. */
  save(run: SavedRun): void;
}

/** The longest path of a Unix socket on any supported system. */
const maxSocketPath = 103;

/** Opens the folders. A state folder that is damaged, not writable or in use is refused before anything is written to it. */
export async function openRunFolders(state: string | undefined): Promise<RunFolders> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(mkdtempSync(join(tmpdir(), "csi-playground-")), (path) => rmSync(path, { recursive: true, force: true }));
  if (Buffer.byteLength(join(folder, "control.sock")) > maxSocketPath)
    throw new UserError(`${folder} is too long a path for Unix sockets; set TMPDIR to a shorter one`);
  const home = state === undefined ? folder : openState(resolve(state));
  const runFile = join(home, "playground.json");
  const clusterFile = join(home, "cluster.json");
  if (state !== undefined) opened.use(await lockFolder(home, join(folder, "state")));
  const saved = readSavedFile(runFile, isSavedRun);
  checkClusterFile(clusterFile);
  const open = opened.move();
  return {
    folder,
    volumes: join(home, "volumes"),
    pods: join(home, "pods"),
    kubeconfig: join(home, "kubeconfig"),
    controlPlane: join(home, "control-plane"),
    ...(state !== undefined && { clusterFile }),
    ...(saved && { saved }),
    save(run) {
      if (state !== undefined) writeAtomically(runFile, JSON.stringify(run));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function openState(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    throw new UserError(`--state: cannot write to ${folder} (${systemErrorCode(error)}); use a folder you can write to`);
  }
}

/**
 * Keeps a second playground out of the folder. The lock is a listening socket, which the operating system closes with the process,
 * however that ends. A socket's path must be short and the folder's may be long: `alias` becomes a link to it.
 */
async function lockFolder(folder: string, alias: string): Promise<AsyncDisposable> {
  symlinkSync(folder, alias);
  const lock = new GrpcServer();
  await lock.listen({ path: join(alias, ".in-use"), mode: 0o600 }).catch(() => {
    throw new UserError(`--state: another playground uses ${folder}; stop it, or use another folder`);
  });
  return {
    async [Symbol.asyncDispose]() {
      // First the name: once the socket is closed, another playground may create its own.
      rmSync(join(folder, ".in-use"), { force: true });
      await lock.kill();
    },
  };
}
