import type { Playground } from "../playground.ts";
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

/** What a key of the keyboard does in the live view. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  act(): Promise<unknown>;
}

/** What to try without kubectl: create, change, snapshot, restore and delete a claim and its pod, kill the processes that are ours. */
export function keyActions({ admin, sidecar, snapshotController, driver }: Playground): readonly KeyAction[] {
  const { hostpath, info } = driver;
  const volumes: readonly KeyAction[] = [
    { key: "c", help: "claim and pod", act: () => createBoth(admin, "data") },
    ...(info.expands ? [{ key: "g", help: "grow it", act: () => changeNewest(admin, grown) }] : []),
    ...(hostpath ? [{ key: "m", help: "modify it", act: () => changeNewest(admin, modified) }] : []),
    ...(hostpath ? [{ key: "b", help: "break or heal it", act: () => breakOrHeal(admin, driver.client, hostpath.control) }] : []),
    ...(info.snapshots ? [{ key: "t", help: "snapshot", act: () => takeSnapshot(admin) }] : []),
    ...(info.snapshots ? [{ key: "r", help: "restore", act: () => restoreSnapshot(admin) }] : []),
    ...(info.groupSnapshots ? [{ key: "p", help: "group snapshot", act: () => takeGroupSnapshot(admin) }] : []),
    { key: "d", help: "delete all", act: () => deleteOurs(admin, info) },
  ];
  return [
    ...(info.provisions ? volumes : []),
    { key: "s", help: "kill sidecar", act: () => sidecar.process.kill() },
    ...(snapshotController ? [{ key: "n", help: "kill controller", act: () => snapshotController.process.kill() }] : []),
    ...(hostpath ? [{ key: "v", help: "kill driver", act: () => hostpath.process.kill() }] : []),
  ];
}

/** Shows and hides the full introduction where there is only room for the brief one. */
export const moreKey = "h";

const ctrlC = "\x03";

export interface KeyListener {
  readonly actions: readonly KeyAction[];
  /** For q and Ctrl-C. */
  readonly stop: () => void;
  /** When an action fails. */
  readonly failed: (error: unknown) => void;
}

/** Reads the keyboard until the signal. */
export function listenToKeys(keyboard: NodeJS.ReadStream, signal: AbortSignal, { actions, stop, failed }: KeyListener): void {
  keyboard.setRawMode(true).setEncoding("utf8");
  keyboard.on("data", (typed: string) => {
    for (const key of typed) {
      if (key === ctrlC || key === "q") return stop();
      actions
        .find((action) => action.key === key)
        ?.act()
        .catch(failed);
    }
  });
  signal.addEventListener("abort", () => keyboard.setRawMode(false).pause(), { once: true });
}
