import { readlinkSync } from "node:fs";
import { systemErrorCode } from "@csi-sidecars/base";
import type { Environment } from "@csi-sidecars/kube";

const utcNames = /^:?(?:.*\/)?(?:UTC|UCT|Zulu|Universal|GMT|UTC0)?$/;

/**
 * Whether local time is UTC, as in nearly every container. Asking a `Date` would load the tables of all time zones,
 * 3 MB of resident memory, so the system is asked instead.
 */
export function isUtc(env: Environment, readLink: (path: string) => string = (path) => readlinkSync(path)): boolean {
  if (env.TZ !== undefined) return utcNames.test(env.TZ);
  try {
    return utcNames.test(readLink("/etc/localtime"));
  } catch (error) {
    return systemErrorCode(error) === "ENOENT";
  }
}
