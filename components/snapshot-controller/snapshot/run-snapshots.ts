import type { SnapshotControllerContext } from "../controller-context.ts";
import type { SnapshotControllerComponentContext } from "../flags.ts";

/** Binds VolumeSnapshots to contents, and creates and deletes those, until the context's signal aborts. */
export async function runSnapshots(_context: SnapshotControllerComponentContext, _c: SnapshotControllerContext): Promise<void> {}
