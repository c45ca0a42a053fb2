import { runAll, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { snapshotControllerContext } from "./controller-context.ts";
import type { SnapshotControllerComponentContext } from "./flags.ts";
import { runGroupSnapshots } from "./group-snapshot/run-group-snapshots.ts";
import { groupSnapshotKinds, snapshotKinds } from "./kinds.ts";
import { runSnapshots } from "./snapshot/run-snapshots.ts";

/** Works until the context's signal aborts. The kinds may be installed later. */
export async function startSnapshotController(context: SnapshotControllerComponentContext): Promise<Running> {
  return { done: runAll([run(context)], context.signal) };
}

async function run(context: SnapshotControllerComponentContext): Promise<void> {
  const { gates, signal } = context;
  if (!(await waitForKinds(context, snapshotKinds, signal))) return;
  const c = snapshotControllerContext(context);
  const groups = async () => {
    const onMissing = () => {
      c.groupsUnknown = "not installed";
    };
    if (!(await waitForKinds(context, groupSnapshotKinds, signal, onMissing))) return;
    c.groupsUnknown = "not yet read";
    await runGroupSnapshots(context, c);
  };
  await Promise.all([runSnapshots(context, c), ...(gates.enabled("CSIVolumeGroupSnapshot") ? [groups()] : [])]);
}
