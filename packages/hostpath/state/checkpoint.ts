import { readFile } from "node:fs/promises";
import { messageOf } from "@csi-sidecars/base";
import { StateFileError } from "./durable-file.ts";
import { Field } from "./json-field.ts";
import { decodeGroup, decodeSnapshot, decodeVolume, encodeGroup, encodeSnapshot, encodeVolume, type StateOwner } from "./record-format.ts";
import type { GroupRecord, SnapshotRecord, VolumeRecord } from "./records.ts";

/** Everything that is remembered, at one moment. */
export interface Checkpoint {
  readonly volumes: readonly VolumeRecord[];
  readonly snapshots: readonly SnapshotRecord[];
  readonly groups: readonly GroupRecord[];
}

/** The content of `state.json`, in the Go driver's format. */
export function encodeCheckpoint({ volumes, snapshots, groups }: Checkpoint): string {
  return JSON.stringify({
    Volumes: volumes.map(encodeVolume),
    Snapshots: snapshots.map(encodeSnapshot),
    GroupSnapshots: groups.map(encodeGroup),
  });
}

/** Reads `state.json`; a file that is not there is an empty state. */
export async function readCheckpoint(path: string, owner: StateOwner): Promise<Checkpoint> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new StateFileError(path, `cannot be read (${error.message})`);
  });
  if (text === undefined) return { volumes: [], snapshots: [], groups: [] };
  try {
    const root = new Field(JSON.parse(text), "state");
    const volumes = root
      .at("Volumes")
      .list()
      .map((field) => decodeVolume(field, owner));
    const types = new Map(volumes.map(({ id, accessType }) => [id, accessType]));
    const snapshots = root.at("Snapshots").list();
    return {
      volumes,
      snapshots: snapshots.map((field) => decodeSnapshot(field, owner, (volumeId) => types.get(volumeId) ?? "mount")),
      groups: root.at("GroupSnapshots").list().map(decodeGroup),
    };
  } catch (error) {
    throw new StateFileError(path, `is malformed (${messageOf(error)})`);
  }
}
