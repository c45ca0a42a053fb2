import { snapshotDataPath, volumeDataPath } from "../data/data.ts";
import { type Field, jsonInteger } from "./json-field.ts";
import type { AccessType, GroupRecord, SnapshotRecord, Timestamp, VolumeRecord } from "./records.ts";

// The names are those of the Go hostpath driver's state file, so that its files can be read.

/** A volume as it is written. */
export function encodeVolume(volume: VolumeRecord): object {
  return {
    VolName: volume.name,
    VolID: volume.id,
    VolSize: jsonInteger(volume.size),
    VolPath: volume.path,
    VolAccessType: volume.accessType === "block" ? 1 : 0,
    ParentVolID: volume.parentVolumeId,
    ParentSnapID: volume.parentSnapshotId,
    Ephemeral: volume.ephemeral,
    NodeID: volume.nodeId,
    Kind: volume.kind,
    ReadOnlyAttach: volume.attachments.some(({ readOnly }) => readOnly),
    Attached: volume.attachments.length > 0,
    Staged: volume.staged,
    Published: volume.published.map(({ target }) => target),
    Parameters: volume.parameters,
    MutableParameters: volume.mutableParameters,
    VolumeContext: volume.volumeContext,
    AttachedNodes: volume.attachments.map(({ nodeId }) => nodeId),
    ReadOnlyNodes: volume.attachments.filter(({ readOnly }) => readOnly).map(({ nodeId }) => nodeId),
    ReadOnlyTargets: volume.published.filter(({ readOnly }) => readOnly).map(({ target }) => target),
    ...(isUsed(volume) && { Capability: capabilitiesOf(volume) }),
    ...(volume.zone && { Zone: volume.zone }),
  };
}

const isUsed = ({ attachments, staged, published }: VolumeRecord) => attachments.length + staged.length + published.length > 0;

/** As what a volume is used, by where it is. */
function capabilitiesOf({ attachments, staged, stagedAs, published }: VolumeRecord): object {
  const uses = [
    ...attachments.map(({ nodeId, capability }) => [attachedTo(nodeId), capability]),
    ...staged.map((path) => [stagedAt(path), stagedAs]),
    ...published.map(({ target, capability }) => [publishedAt(target), capability]),
  ];
  return Object.fromEntries(uses.filter(([, capability]) => capability));
}

const attachedTo = (nodeId: string) => `attached ${nodeId}`;
const stagedAt = (path: string) => `staged ${path}`;
const publishedAt = (target: string) => `published ${target}`;

/** The driver whose state is read. Files of the Go driver only say that a volume is attached: it is attached to this node. */
export interface StateOwner {
  readonly stateDir: string;
  readonly nodeId: string;
}

/** Reads a volume. The path of its data follows from its id: the state directory may have been moved. */
export function decodeVolume(field: Field, { stateDir, nodeId: ownNode }: StateOwner): VolumeRecord {
  const id = field.at("VolID").id();
  const attachedNodes = field.at("AttachedNodes").absent && field.at("Attached").flag() ? [ownNode] : field.at("AttachedNodes").texts();
  const readOnlyNodes =
    field.at("ReadOnlyNodes").absent && field.at("ReadOnlyAttach").flag() ? attachedNodes : field.at("ReadOnlyNodes").texts();
  const readOnlyTargets = field.at("ReadOnlyTargets").texts();
  const capabilities = new Map(Object.entries(field.at("Capability").map()));
  const capability = (use: string) => capabilities.get(use) ?? "";
  const staged = field.at("Staged").texts();
  return {
    id,
    name: field.at("VolName").text(),
    size: field.at("VolSize").integer(),
    path: volumeDataPath(stateDir, id),
    accessType: accessTypeOf(field.at("VolAccessType")),
    parentVolumeId: field.at("ParentVolID").text(),
    parentSnapshotId: field.at("ParentSnapID").text(),
    ephemeral: field.at("Ephemeral").flag(),
    nodeId: field.at("NodeID").text(),
    kind: field.at("Kind").text(),
    zone: field.at("Zone").text(),
    attachments: attachedNodes.map((nodeId) => ({
      nodeId,
      readOnly: readOnlyNodes.includes(nodeId),
      capability: capability(attachedTo(nodeId)),
    })),
    staged,
    stagedAs: capability(stagedAt(staged[0] ?? "")),
    published: field
      .at("Published")
      .texts()
      .map((target) => ({ target, readOnly: readOnlyTargets.includes(target), capability: capability(publishedAt(target)) })),
    parameters: field.at("Parameters").map(),
    mutableParameters: field.at("MutableParameters").map(),
    volumeContext: field.at("VolumeContext").map(),
  };
}

/** A snapshot as it is written. */
export function encodeSnapshot(snapshot: SnapshotRecord): object {
  return {
    Name: snapshot.name,
    Id: snapshot.id,
    VolID: snapshot.volumeId,
    Path: snapshot.path,
    CreationTime: encodeTimestamp(snapshot.creationTime),
    SizeBytes: jsonInteger(snapshot.size),
    ReadyToUse: snapshot.readyToUse,
    GroupSnapshotID: snapshot.groupId,
    VolAccessType: snapshot.accessType === "block" ? 1 : 0,
    ...(snapshot.everywhere && { NoTopology: true }),
  };
}

/** Reads a snapshot; `accessTypeOfSource` answers for files that do not say whether it is of a mount or a block volume. */
export function decodeSnapshot(
  field: Field,
  { stateDir }: Pick<StateOwner, "stateDir">,
  accessTypeOfSource: (volumeId: string) => AccessType,
): SnapshotRecord {
  const id = field.at("Id").id();
  const volumeId = field.at("VolID").text();
  const accessType = field.at("VolAccessType");
  return {
    id,
    name: field.at("Name").text(),
    volumeId,
    path: snapshotDataPath(stateDir, id),
    creationTime: decodeTimestamp(field.at("CreationTime")),
    size: field.at("SizeBytes").integer(),
    readyToUse: field.at("ReadyToUse").flag(),
    groupId: field.at("GroupSnapshotID").text(),
    accessType: accessType.absent ? accessTypeOfSource(volumeId) : accessTypeOf(accessType),
    everywhere: field.at("NoTopology").flag(),
  };
}

/** A group snapshot as it is written. */
export function encodeGroup(group: GroupRecord): object {
  return {
    Name: group.name,
    Id: group.id,
    SnapshotIDs: group.snapshotIds,
    SourceVolumeIDs: group.sourceVolumeIds,
    CreationTime: encodeTimestamp(group.creationTime),
    ReadyToUse: group.readyToUse,
  };
}

/** Reads a group snapshot. */
export function decodeGroup(field: Field): GroupRecord {
  return {
    id: field.at("Id").id(),
    name: field.at("Name").text(),
    snapshotIds: field.at("SnapshotIDs").texts(),
    sourceVolumeIds: field.at("SourceVolumeIDs").texts(),
    creationTime: decodeTimestamp(field.at("CreationTime")),
    readyToUse: field.at("ReadyToUse").flag(),
  };
}

const encodeTimestamp = ({ seconds, nanos }: Timestamp) => ({ seconds: jsonInteger(seconds), nanos });

function decodeTimestamp(field: Field): Timestamp {
  if (field.absent) return { seconds: 0n, nanos: 0 };
  return { seconds: field.at("seconds").integer(), nanos: Number(field.at("nanos").integer()) };
}

const accessTypeOf = (field: Field): AccessType => (field.integer() === 1n ? "block" : "mount");
