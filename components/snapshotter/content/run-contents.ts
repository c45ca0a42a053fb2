import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";

/** Takes and deletes the snapshots of VolumeSnapshotContents until the context's signal aborts. */
export async function runContents(_context: SnapshotterComponentContext, _c: SnapshotterContext): Promise<void> {}
