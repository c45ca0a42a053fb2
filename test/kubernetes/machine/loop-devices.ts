import { basename } from "node:path";
import { runCommand } from "./run-command.ts";

interface LoopDevice {
  readonly name: string;
  readonly "back-file": string | null;
}

/** Detaches the loop devices of files in a folder. The namespace in which it was mounted may be gone: its name is what remains of the path. */
export function detachLoopDevices(folder: string): void {
  const { loopdevices = [] } = JSON.parse(runCommand("losetup", ["--list", "--json"]) || "{}") as { loopdevices?: LoopDevice[] };
  for (const device of loopdevices) {
    if (device["back-file"]?.includes(basename(folder))) runCommand("losetup", ["--detach", device.name]);
  }
}
