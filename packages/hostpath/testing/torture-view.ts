import type { Facts } from "./torture-model.ts";

/** What a driver knows, in the words of its callers. */
export interface Seen {
  readonly volumes: ReadonlyMap<string, SeenVolume>;
  /** What must be in the state directory. */
  readonly files: readonly string[];
}

/** A volume by its name. */
export interface SeenVolume {
  readonly id: string;
  readonly snapshotId: string;
  readonly groupId: string;
  readonly facts: Facts;
}

/** The parts of `GET /state` that callers can know. */
interface State {
  readonly volumes: readonly {
    readonly id: string;
    readonly name: string;
    readonly size: string;
    readonly mutableParameters: Readonly<Record<string, string>>;
    readonly attachments: readonly unknown[];
    readonly staged: readonly unknown[];
    readonly published: readonly unknown[];
  }[];
  readonly snapshots: readonly { readonly id: string; readonly volumeId: string; readonly groupId: string }[];
  readonly groups: readonly { readonly id: string; readonly snapshotIds: readonly string[]; readonly sourceVolumeIds: readonly string[] }[];
}

/** Asks a driver's control endpoint what it knows; throws when that contradicts itself. */
export async function readSeen(unix: string): Promise<Seen> {
  const { volumes, snapshots, groups } = (await (await fetch("http://control/state", { unix })).json()) as State;
  const members = groups.flatMap(({ snapshotIds }) => snapshotIds).sort();
  const grouped = snapshots.filter(({ groupId }) => groups.some(({ id }) => id === groupId)).map(({ id }) => id);
  if (members.join() !== grouped.sort().join()) throw new Error(`groups have ${members}, and members are ${grouped}`);
  const seen = volumes.map((volume): [string, SeenVolume] => {
    const alone = snapshots.filter(({ volumeId, groupId }) => volumeId === volume.id && !groupId);
    const group = groups.find(({ sourceVolumeIds }) => sourceVolumeIds.includes(volume.id));
    if (alone.length > 1) throw new Error(`${volume.name} has ${alone.length} snapshots`);
    return [
      volume.name,
      {
        id: volume.id,
        snapshotId: alone[0]?.id ?? "",
        groupId: group?.id ?? "",
        facts: {
          mebibytes: Number(volume.size) / 1024 / 1024,
          iops: volume.mutableParameters.iops ?? "",
          attached: volume.attachments.length > 0,
          staged: volume.staged.length > 0,
          published: volume.published.length > 0,
          snapshot: alone.length > 0,
          group: group !== undefined,
        },
      },
    ];
  });
  return { volumes: new Map(seen), files: [...volumes.map(({ id }) => id), ...snapshots.map(({ id }) => `${id}.snap`)] };
}
