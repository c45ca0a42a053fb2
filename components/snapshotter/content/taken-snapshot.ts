import { goQuote, type Result } from "@csi-sidecars/base";
import type { Snapshot } from "@csi-sidecars/csi";
import { messages } from "../messages.ts";
import { nanosecondsOf } from "../snapshot-time.ts";

/** A snapshot as the driver describes it. */
export interface TakenSnapshot {
  readonly handle: string;
  readonly readyToUse: boolean;
  /** In nanoseconds since the epoch. Now, where the driver did not say. */
  readonly creationTime: bigint;
  /** In bytes; `undefined` where the driver does not know, or what it says makes no sense. */
  readonly size: bigint | undefined;
  /** The group snapshot that it was taken with; empty where there is none. */
  readonly groupHandle: string;
  /** What is wrong with the answer, though not so much that it is of no use. */
  readonly oddity: string | undefined;
}

/** The snapshot that the driver answered with, or what is wrong with the answer. `known` is the one that was asked for, where one was. */
export function takenSnapshot(snapshot: Snapshot | undefined, known: string | undefined, nowMs: number): Result<TakenSnapshot> {
  if (!snapshot) return { error: messages.answeredWithoutSnapshot() };
  const { snapshotId: handle, readyToUse, sizeBytes, groupSnapshotId: groupHandle } = snapshot;
  if (handle === "") return { error: messages.answeredWithoutId() };
  if (known !== undefined && handle !== known) return { error: messages.answeredOtherSnapshot(goQuote(handle), goQuote(known)) };
  const nanoseconds = nanosecondsOf(snapshot.creationTime);
  const creationTime = nanoseconds !== undefined && nanoseconds > 0n ? nanoseconds : nowInNanoseconds(nowMs);
  const oddity = sizeBytes < 0n ? messages.answeredSenselessSize(handle, sizeBytes) : undefined;
  return { value: { handle, readyToUse, creationTime, size: sizeBytes > 0n ? sizeBytes : undefined, groupHandle, oddity } };
}

/** For a driver that cannot be asked: the snapshot that an administrator has named is believed to be there. */
export function assumedSnapshot(handle: string, nowMs: number): TakenSnapshot {
  return { handle, readyToUse: true, creationTime: nowInNanoseconds(nowMs), size: undefined, groupHandle: "", oddity: undefined };
}

function nowInNanoseconds(nowMs: number): bigint {
  return BigInt(Math.floor(nowMs)) * 1_000_000n;
}
