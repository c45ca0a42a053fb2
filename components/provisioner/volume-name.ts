import type { Result } from "@csi-sidecars/base";
import { uidPart } from "@csi-sidecars/controller";

/** How volumes are named: `--volume-name-prefix` and `--volume-name-uuid-length`. */
export interface VolumeNaming {
  readonly prefix: string;
  /** -1: the whole uid with its dashes; otherwise so many of its characters, without dashes. */
  readonly uuidLength: number;
}

/** The name of the claim's volume, for the driver and for the PersistentVolume: always the same for one claim. */
export function volumeName({ prefix, uuidLength }: VolumeNaming, uid: string): Result<string> {
  if (prefix === "") return { error: "volume name prefix cannot be of length 0" };
  if (uid === "") return { error: "corrupted PVC object, it is missing UID" };
  return { value: `${prefix}-${uidPart(uid, uuidLength)}` };
}

const maxPrefixLength = 253 - "-00000000-0000-0000-0000-000000000000".length;
const prefixOfName = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)*[a-z0-9][-a-z0-9]*$/;

/** Checks `--volume-name-prefix`: the API server would reject the PersistentVolume of each volume that the driver has created. */
export function prefixProblem(prefix: string): string | undefined {
  if (prefix === "") return "must not be empty";
  if (prefixOfName.test(prefix) && prefix.length <= maxPrefixLength) return undefined;
  return `must begin a valid name of a PersistentVolume: lower case letters, digits, - and ., at most ${maxPrefixLength} characters`;
}
