import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";
import { Refusal } from "../refusal.ts";
import { checkClusterFile } from "./cluster-file.ts";
import { holdFolder } from "./hold-folder.ts";
import { isNote, type Note } from "./note.ts";
import { readKeptFile } from "./read-kept-file.ts";
import { writeAtomically } from "./write-atomically.ts";

/** The folders of one run. */
export interface Workplace extends AsyncDisposable {
  /** Sockets, logs and credentials of this run: removed at the end. */
  readonly folder: string;
  /** Where the driver keeps volumes. */
  readonly volumes: string;
  /** What pods have mounted. */
  readonly pods: string;
  /** For whoever plays. */
  readonly kubeconfig: string;
  /** Where a real control plane keeps what it has. */
  readonly controlPlane: string;
  /** What the embedded API server continues from; absent where nothing is kept. */
  readonly clusterFile?: string;
  /** What an earlier run has noted. */
  readonly note?: Note;
  /** Notes it for the next run. */
  keep(note: Note): void;
}

/** The longest name of a socket that every system takes. */
const longestSocket = 103;

/** Opens the folders; one that is damaged, not ours, or in use is refused before anything is written into it. */
export async function openWorkplace(state: string | undefined): Promise<Workplace> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(mkdtempSync(join(tmpdir(), "csi-playground-")), (path) => rmSync(path, { recursive: true, force: true }));
  if (Buffer.byteLength(join(folder, "control.sock")) > longestSocket)
    throw new Refusal(`${folder} is too long a name for a folder of sockets; set TMPDIR to a shorter one`);
  const home = state === undefined ? folder : openState(resolve(state));
  const noteFile = join(home, "playground.json");
  const clusterFile = join(home, "cluster.json");
  if (state !== undefined) opened.use(await holdFolder(home, join(folder, "state")));
  const note = readKeptFile(noteFile, isNote);
  checkClusterFile(clusterFile);
  const open = opened.move();
  return {
    folder,
    volumes: join(home, "volumes"),
    pods: join(home, "pods"),
    kubeconfig: join(home, "kubeconfig"),
    controlPlane: join(home, "control-plane"),
    ...(state !== undefined && { clusterFile }),
    ...(note && { note }),
    keep(fresh) {
      if (state !== undefined) writeAtomically(noteFile, JSON.stringify(fresh));
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
    throw new Refusal(`--state: cannot write to ${folder} (${systemErrorCode(error)}); give a folder that is yours`);
  }
}
