import { existsSync, readdirSync } from "node:fs";

/** Where the hostpath driver keeps volumes and snapshots. */
const folder = "/var/lib/csi-hostpath-data";

/** A folder for each volume, a file for each snapshot; the driver's own files have other names. */
export function driverData(path = folder): string[] {
  return existsSync(path) ? readdirSync(path).filter((name) => /^[0-9a-f]{8}-/.test(name)) : [];
}
