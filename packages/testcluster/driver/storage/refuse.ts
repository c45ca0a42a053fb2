import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";
import type { Storage, StoredVolume } from "./storage.ts";

/** Ends a call with a status. */
export function refuse(code: CodeName, message: string): never {
  throw new GrpcError(Code[code], message);
}

/** The volume of a request. */
export function existing(storage: Storage, volumeId: string): StoredVolume {
  if (volumeId === "") refuse("InvalidArgument", "volume_id is missing");
  return storage.volumes.get(volumeId) ?? refuse("NotFound", `volume ${volumeId} does not exist`);
}
