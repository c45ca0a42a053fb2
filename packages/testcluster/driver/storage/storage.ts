import { Code, type CodeName, GrpcError, type Timestamp, type Topology, type VolumeContentSource } from "@csi-sidecars/csi";

/** A stored volume. */
export interface StoredVolume {
  readonly id: string;
  readonly name: string;
  capacityBytes: bigint;
  readonly parameters: Readonly<Record<string, string>>;
  mutableParameters: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, string>>;
  readonly source: VolumeContentSource | undefined;
  readonly topology: readonly Topology[];
  readonly published: Map<string, Publication>;
  /** Paths on this node. */
  readonly staged: Set<string>;
  readonly mounted: Set<string>;
  /** The size of the file system, once NodeExpandVolume was called. */
  nodeBytes: bigint | undefined;
  /** Why the volume is reported as abnormal; `undefined` when it is healthy. */
  abnormal: string | undefined;
}

/** How a volume is published to a node. */
interface Publication {
  readonly readonly: boolean;
  readonly accessMode: number;
}

/** A stored snapshot. */
export interface StoredSnapshot {
  readonly id: string;
  readonly name: string;
  readonly sourceVolumeId: string;
  readonly sizeBytes: bigint;
  readonly creationTime: Timestamp;
  readonly groupId: string;
  readyToUse: boolean;
  /** How many answers still say that it is not ready; `undefined` where the test decides. */
  unreadyAnswers: number | undefined;
}

/** A stored group of snapshots. */
export interface StoredGroup {
  readonly id: string;
  readonly name: string;
  readonly snapshotIds: readonly string[];
  readonly creationTime: Timestamp;
}

/** All that outlives the driver's process: what a storage system keeps. */
export interface Storage {
  readonly volumes: Map<string, StoredVolume>;
  readonly snapshots: Map<string, StoredSnapshot>;
  readonly groups: Map<string, StoredGroup>;
  /** A new, unique id. */
  nextId(prefix: string): string;
}

/** A storage system without a volume. */
export function emptyStorage(): Storage {
  let last = 0;
  return { volumes: new Map(), snapshots: new Map(), groups: new Map(), nextId: (prefix) => `${prefix}-${++last}` };
}

/** A volume that a test creates; everything but its id has a default. */
export type VolumeInput = Pick<StoredVolume, "id"> &
  Partial<Pick<StoredVolume, "name" | "parameters" | "mutableParameters" | "context" | "source" | "topology" | "abnormal">> & {
    readonly capacityBytes?: bigint | number | string;
    /** Nodes that it is published to. */
    readonly publishedTo?: readonly string[];
  };

/** Adds a volume without CreateVolume. */
export function addVolume(storage: Storage, input: VolumeInput): StoredVolume {
  const volume: StoredVolume = {
    id: input.id,
    name: input.name ?? input.id,
    capacityBytes: BigInt(input.capacityBytes ?? defaultVolumeBytes),
    parameters: input.parameters ?? {},
    mutableParameters: input.mutableParameters ?? {},
    context: input.context ?? {},
    source: input.source,
    topology: input.topology ?? [],
    published: new Map((input.publishedTo ?? []).map((node) => [node, { readonly: false, accessMode: 1 }])),
    staged: new Set(),
    mounted: new Set(),
    nodeBytes: undefined,
    abnormal: input.abnormal,
  };
  storage.volumes.set(volume.id, volume);
  return volume;
}

/** The default size of a volume. */
export const defaultVolumeBytes = 1_073_741_824n;

/** Ends a call with a status. */
export function refuse(code: CodeName, message: string): never {
  throw new GrpcError(Code[code], message);
}

/** The volume of a request. */
export function existing(storage: Storage, volumeId: string): StoredVolume {
  if (volumeId === "") refuse("InvalidArgument", "volume_id is missing");
  return storage.volumes.get(volumeId) ?? refuse("NotFound", `volume ${volumeId} does not exist`);
}

/** A page of a list: the entries after `token`, and the token of the next page; all of them when `maxEntries` is 0. */
export function page<T>(
  all: readonly T[],
  maxEntries: number,
  token: string,
): { readonly entries: readonly T[]; readonly nextToken: string } {
  const start = token === "" ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0 || start > all.length) refuse("Aborted", `invalid starting_token ${JSON.stringify(token)}`);
  if (maxEntries < 0) refuse("InvalidArgument", `max_entries must not be negative: ${maxEntries}`);
  const end = maxEntries === 0 ? all.length : Math.min(all.length, start + maxEntries);
  return { entries: all.slice(start, end), nextToken: end < all.length ? String(end) : "" };
}
