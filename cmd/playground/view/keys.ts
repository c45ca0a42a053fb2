import { toggle } from "../faults/faults.ts";
import type { Playground } from "../playground.ts";
import type { SupervisedProcess } from "../processes/supervised-process.ts";
import {
  breakOrHeal,
  changeNewest,
  createBoth,
  deleteOurs,
  grown,
  modified,
  restoreSnapshot,
  takeGroupSnapshot,
  takeSnapshot,
} from "./key-objects.ts";

/** What a key of the keyboard does. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  /** Resolves with what it has done, for the user. */
  act(): Promise<string>;
}

/** Keys that belong together. */
export interface KeyGroup {
  readonly name: "keys" | "faults" | "kill";
  readonly actions: readonly KeyAction[];
  /** Said of all of them. */
  readonly remark?: string;
}

/** What to try without kubectl: create, change, snapshot, restore and delete a claim and its pod, let things go wrong, kill processes. */
export function keyGroups({ admin, sidecar, snapshotController, driver, faults }: Playground): readonly KeyGroup[] {
  const { hostpath, info, client } = driver;
  const volumes: readonly KeyAction[] = [
    { key: "c", help: "create a claim and a pod", act: () => createBoth(admin, "data") },
    ...(info.expands ? [{ key: "g", help: "grow it", act: () => changeNewest(admin, grown) }] : []),
    ...(hostpath ? [{ key: "m", help: "modify it", act: () => changeNewest(admin, modified) }] : []),
    ...(hostpath ? [{ key: "b", help: "break or heal it", act: () => breakOrHeal(admin, client, hostpath.control) }] : []),
    ...(info.snapshots ? [{ key: "t", help: "take a snapshot", act: () => takeSnapshot(admin) }] : []),
    ...(info.snapshots ? [{ key: "r", help: "restore it", act: () => restoreSnapshot(admin) }] : []),
    ...(info.groupSnapshots ? [{ key: "p", help: "group snapshot", act: () => takeGroupSnapshot(admin) }] : []),
    { key: "d", help: "delete what these keys have created", act: () => deleteOurs(admin, info) },
  ];
  const groups: readonly KeyGroup[] = [
    { name: "keys", actions: info.provisions ? volumes : [] },
    {
      name: "faults",
      actions: faults.map((fault) => ({ key: fault.key, help: fault.name, act: () => toggle(fault) })),
      remark: "the same key ends it",
    },
    {
      name: "kill",
      actions: [
        kill("s", "csi-sidecars", sidecar.process),
        ...(snapshotController ? [kill("n", "snapshot-controller", snapshotController.process)] : []),
        ...(hostpath ? [kill("v", "driver", hostpath.process)] : []),
      ],
      remark: "it is started again",
    },
  ];
  return groups.filter(({ actions }) => actions.length > 0);
}

function kill(key: string, name: string, process: SupervisedProcess): KeyAction {
  return {
    key,
    help: name,
    async act() {
      const { pid } = process;
      await process.kill();
      return pid === undefined ? `${name} does not run` : `killed ${name}, process ${pid}`;
    },
  };
}

/** Shows and hides the help. */
export const helpKey = "?";
/** Another one for it, which needs no shift. */
const helpToo = "h";

/** What each key does: a line for each group. */
export const keyHelp = (groups: readonly KeyGroup[]): readonly string[] => [
  ...groups.map(({ name, actions, remark }) => {
    const each = actions.map(({ key, help }) => `${key} ${help}`);
    return `  ${name.padEnd(9)} ${[...each, ...(remark ? [remark] : [])].join("; ")}`;
  }),
  `  also      ${helpKey} help; q quit`,
];

/** Only which keys there are, in one line that fits on any terminal. */
export const keySummary = (groups: readonly KeyGroup[]): string =>
  `  ${[...groups.map(({ name, actions }) => [name, ...actions.map(({ key }) => key)].join(" ")), `${helpKey} help`, "q quit"].join("; ")}`;

const ctrlC = "\x03";

export interface KeyListener {
  readonly groups: readonly KeyGroup[];
  /** For q and Ctrl-C. */
  readonly stop: () => void;
  readonly help: () => void;
  /** What a key has done. */
  readonly did: (what: string) => void;
  /** When that fails. */
  readonly failed: (error: unknown) => void;
}

/** Reads the keyboard until the signal. */
export function listenToKeys(keyboard: NodeJS.ReadStream, signal: AbortSignal, { groups, stop, help, did, failed }: KeyListener): void {
  const actions = groups.flatMap((group) => group.actions);
  keyboard.setRawMode(true).setEncoding("utf8");
  keyboard.on("data", (typed: string) => {
    for (const key of typed) {
      if (key === ctrlC || key === "q") return stop();
      if (key === helpKey || key === helpToo) help();
      const action = actions.find((candidate) => candidate.key === key);
      action?.act().then(did, failed);
    }
  });
  signal.addEventListener("abort", () => keyboard.setRawMode(false).pause(), { once: true });
}
