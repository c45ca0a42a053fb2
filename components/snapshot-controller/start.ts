import { runAll, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { snapshotControllerContext } from "./controller-context.ts";
import type { SnapshotControllerComponentContext } from "./flags.ts";
import { runGroupSnapshots } from "./group-snapshot/run-group-snapshots.ts";
import { runSnapshots } from "./snapshot/run-snapshots.ts";

const singleKinds = [VolumeSnapshot, VolumeSnapshotContent, VolumeSnapshotClass];
const groupKinds = [VolumeGroupSnapshot, VolumeGroupSnapshotContent, VolumeGroupSnapshotClass];

/** Works until the context's signal aborts. The kinds may be installed later. */
export async function startSnapshotController(context: SnapshotControllerComponentContext): Promise<Running> {
  return { done: runAll([run(context)], context.signal) };
}

async function run(context: SnapshotControllerComponentContext): Promise<void> {
  const { gates, signal } = context;
  if (!(await waitForKinds(context, singleKinds, signal))) return;
  const c = snapshotControllerContext(context);
  const groups = async () => {
    const onMissing = () => {
      c.groupsUnknown = "not installed";
    };
    if (!(await waitForKinds(context, groupKinds, signal, onMissing))) return;
    c.groupsUnknown = "not yet read";
    await runGroupSnapshots(context, c);
  };
  await Promise.all([runSnapshots(context, c), ...(gates.enabled("CSIVolumeGroupSnapshot") ? [groups()] : [])]);
}
