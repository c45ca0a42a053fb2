import type { DriverClient } from "@csi-sidecars/csi";
import { MiB, mount } from "./requests.ts";

/** What a caller was told of a volume. */
export interface Facts {
  readonly mebibytes: number;
  readonly iops: string;
  readonly attached: boolean;
  readonly staged: boolean;
  readonly published: boolean;
  readonly snapshot: boolean;
  readonly group: boolean;
}

/** One name under which a volume comes and goes, and all that its caller knows. */
export interface Slot {
  readonly name: string;
  readonly stage: string;
  readonly target: string;
  volumeId: string;
  snapshotId: string;
  groupId: string;
  /** Whether a file was written into the volume, which must not get lost. */
  marked: boolean;
  /** What the driver may say now: one thing, or two while a call is not answered. Undefined: there is no volume. */
  allowed: readonly (Facts | undefined)[];
}

/** A call, and what is true when it was answered. */
export interface Operation {
  readonly name: string;
  readonly after: Facts | undefined;
  call(client: DriverClient): Promise<unknown>;
}

const fresh: Facts = { mebibytes: 1, iops: "", attached: false, staged: false, published: false, snapshot: false, group: false };

/** A call that makes sense now, chosen at random. */
export function chooseOperation(slot: Slot, nodeId: string, random: () => number): Operation {
  const possible = operations(slot, nodeId, random);
  return possible[Math.floor(random() * possible.length)] as Operation;
}

function operations(slot: Slot, nodeId: string, random: () => number): Operation[] {
  const { name, volumeId, stage: stagingTargetPath, target: targetPath } = slot;
  const now = slot.allowed[0];
  const volumeCapability = mount();
  const operation = (what: string, change: Partial<Facts>, call: Operation["call"]): Operation => ({
    ...{ name: `${what} ${name}`, call },
    after: now && { ...now, ...change },
  });
  if (!now) {
    const request = { name, volumeCapabilities: [volumeCapability], capacityRange: { requiredBytes: MiB } };
    const create: Operation["call"] = async ({ controller }) => {
      slot.volumeId = (await controller.createVolume(request)).volume?.volumeId ?? "";
    };
    return [{ name: `create ${name}`, after: fresh, call: create }];
  }
  const iops = String(Math.floor(random() * 1000));
  const mebibytes = now.mebibytes + 1;
  const capacityRange = { requiredBytes: BigInt(mebibytes) * MiB };
  const paths = { volumeId, stagingTargetPath, targetPath, volumeCapability };
  const found = [
    operation("expand", { mebibytes }, ({ controller }) => controller.controllerExpandVolume({ volumeId, capacityRange })),
    operation("modify", { iops }, ({ controller }) => controller.controllerModifyVolume({ volumeId, mutableParameters: { iops } })),
  ];
  // Most snapshots are left out: next to programs that are started, little else would happen.
  const rare = random() < 0.2;
  if (now.snapshot) {
    const { snapshotId } = slot;
    found.push(operation("delete snapshot of", { snapshot: false }, ({ controller }) => controller.deleteSnapshot({ snapshotId })));
  } else if (rare)
    found.push(
      operation("snapshot", { snapshot: true }, async ({ controller }) => {
        const { snapshot } = await controller.createSnapshot({ name: `s-${name}`, sourceVolumeId: volumeId });
        slot.snapshotId = snapshot?.snapshotId ?? "";
      }),
    );
  if (now.group) {
    const { groupId: groupSnapshotId } = slot;
    const call: Operation["call"] = ({ groupController }) => groupController.deleteVolumeGroupSnapshot({ groupSnapshotId });
    found.push(operation("delete group of", { group: false }, call));
  } else if (rare)
    found.push(
      operation("group", { group: true }, async ({ groupController }) => {
        const request = { name: `g-${name}`, sourceVolumeIds: [volumeId] };
        const { groupSnapshot } = await groupController.createVolumeGroupSnapshot(request);
        slot.groupId = groupSnapshot?.groupSnapshotId ?? "";
      }),
    );
  if (now.published) found.push(operation("unpublish", { published: false }, ({ node }) => node.nodeUnpublishVolume(paths)));
  else if (now.staged)
    found.push(
      operation("publish", { published: true }, ({ node }) => node.nodePublishVolume(paths)),
      operation("unstage", { staged: false }, ({ node }) => node.nodeUnstageVolume(paths)),
    );
  else if (now.attached)
    found.push(
      operation("stage", { staged: true }, ({ node }) => node.nodeStageVolume(paths)),
      operation("detach", { attached: false }, ({ controller }) => controller.controllerUnpublishVolume({ volumeId, nodeId })),
    );
  else {
    const attach: Operation["call"] = ({ controller }) => controller.controllerPublishVolume({ volumeId, nodeId, volumeCapability });
    found.push(operation("attach", { attached: true }, attach));
    if (!now.snapshot && !now.group)
      found.push({ name: `delete ${name}`, after: undefined, call: ({ controller }) => controller.deleteVolume({ volumeId }) });
  }
  return found;
}
