import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Backend } from "../backend.ts";
import { mountPointOf } from "../mount/mountinfo.ts";
import { refuse } from "../refuse.ts";

/** Refuses a path on the host at which no volume can be: CSI wants it absolute, and the state directory is the data of all volumes. */
export async function checkHostPath({ settings }: Backend, field: string, path: string): Promise<void> {
  if (!isAbsolute(path)) refuse("InvalidArgument", `${field} ${JSON.stringify(path)} is no absolute path`);
  if (settings.backend === "memory") return;
  const [real, home] = [await mountPointOf(path), await realpath(settings.stateDir)];
  if (real === home || real.startsWith(`${home}/`)) refuse("InvalidArgument", `${field} ${path} is in the state directory of the driver`);
}
