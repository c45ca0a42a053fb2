import { open } from "node:fs/promises";
import { BlockMetadataType, type ServiceHandlers, type SnapshotMetadataDefinition } from "@csi-sidecars/csi";
import { type Backend, snapshotById } from "../backend.ts";
import { pluginServices, requireCapability } from "../capabilities.ts";
import { isReady } from "../controller/snapshots.ts";
import { snapshotLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { SnapshotRecord } from "../state/records.ts";
import { allocatedBlocks, batches, blockSize, changedBlocks } from "./block-ranges.ts";

const defaultRanges = 256;

/** The SnapshotMetadata service: which blocks a snapshot of a block volume has, or has changed since an earlier one. */
export function snapshotMetadataService(backend: Backend): ServiceHandlers<typeof SnapshotMetadataDefinition> {
  const answers = (snapshot: SnapshotRecord, blocks: AsyncIterable<number>, maxResults: number) =>
    messages(backend, snapshot, blocks, maxResults);
  return {
    async *getMetadataAllocated({ snapshotId, startingOffset, maxResults }) {
      requireCapability(pluginServices(backend.settings), "SNAPSHOT_METADATA_SERVICE");
      requireFields({ snapshot_id: snapshotId });
      const snapshot = blockSnapshot(backend, snapshotId);
      const first = firstBlock(startingOffset, snapshot.size, maxResults);
      const file = await opened(backend, snapshot);
      try {
        yield* answers(snapshot, allocatedBlocks(file, first), maxResults);
      } finally {
        await file.close();
      }
    },
    async *getMetadataDelta({ baseSnapshotId, targetSnapshotId, startingOffset, maxResults }) {
      requireCapability(pluginServices(backend.settings), "SNAPSHOT_METADATA_SERVICE");
      requireFields({ base_snapshot_id: baseSnapshotId, target_snapshot_id: targetSnapshotId });
      const base = blockSnapshot(backend, baseSnapshotId);
      const target = blockSnapshot(backend, targetSnapshotId);
      if (base.volumeId !== target.volumeId) refuse("InvalidArgument", `snapshots ${base.id} and ${target.id} are of different volumes`);
      const first = firstBlock(startingOffset, target.size, maxResults);
      const baseFile = await opened(backend, base);
      try {
        const targetFile = await opened(backend, target);
        try {
          yield* answers(target, changedBlocks(baseFile, targetFile, first), maxResults);
        } finally {
          await targetFile.close();
        }
      } finally {
        await baseFile.close();
      }
    },
  };
}

async function* messages({ settings }: Backend, { size }: SnapshotRecord, blocks: AsyncIterable<number>, maxResults: number) {
  const type = settings.snapshotMetadataBlockType;
  for await (const blockMetadata of batches(blocks, maxResults || defaultRanges, type === "VARIABLE_LENGTH")) {
    yield { blockMetadataType: BlockMetadataType[type], volumeCapacityBytes: size, blockMetadata };
  }
}

function blockSnapshot(backend: Backend, id: string): SnapshotRecord {
  const snapshot = snapshotById(backend, id);
  if (!isReady(backend, snapshot)) refuse("Unavailable", `snapshot ${id} is not yet ready to use`);
  if (snapshot.accessType !== "block") refuse("InvalidArgument", `snapshot ${id} is not of a block volume`);
  return snapshot;
}

function firstBlock(offset: bigint, size: bigint, maxResults: number): number {
  if (maxResults < 0) refuse("InvalidArgument", `max_results must not be negative: ${maxResults}`);
  if (offset < 0n || offset > size) refuse("OutOfRange", `starting_offset ${offset} is not within the ${size} bytes of the snapshot`);
  return Number(offset / BigInt(blockSize));
}

/** An open file stays readable when the snapshot is deleted; the lock keeps it from being deleted before that. */
const opened = (backend: Backend, { id, path }: SnapshotRecord) => backend.locks.run([snapshotLock(id, true)], () => open(path, "r"));
