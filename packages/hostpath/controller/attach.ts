import {
  type ControllerPublishVolumeRequest,
  type ControllerUnpublishVolumeRequest,
  VolumeCapability_AccessMode_Mode as Mode,
} from "@csi-sidecars/csi";
import { type Backend, lifecycleViolation, saveVolume, volumeById } from "../backend.ts";
import { volumeLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import { checkZone } from "../topology.ts";
import { capabilityName, checkAccessType, isSameCapability } from "./volume-capabilities.ts";

const multiNode: readonly number[] = [Mode.MULTI_NODE_READER_ONLY, Mode.MULTI_NODE_SINGLE_WRITER, Mode.MULTI_NODE_MULTI_WRITER];

/** ControllerPublishVolume: notes that a volume is attached to a node. */
export async function controllerPublishVolume(backend: Backend, request: ControllerPublishVolumeRequest) {
  const { settings, locks, attaching } = backend;
  const { volumeId, nodeId, readonly: readOnly, volumeCapability } = request;
  requireFields({ volume_id: volumeId, node_id: nodeId, volume_capability: volumeCapability });
  checkNode(backend, nodeId);
  return locks.run([volumeLock(volumeId)], async () => {
    const volume = volumeById(backend, volumeId);
    checkZone(settings, volume, nodeId);
    checkAccessType(volume, volumeCapability, "attach");
    const capability = volumeCapability ? capabilityName(volumeCapability) : "";
    const answer = { publishContext: settings.publishContext };
    const here = volume.attachments.find((attachment) => attachment.nodeId === nodeId);
    if (here) {
      if (here.readOnly !== readOnly) refuse("AlreadyExists", `volume ${volumeId} is attached to ${nodeId} with readonly=${here.readOnly}`);
      if (!isSameCapability(here.capability, capability)) {
        refuse("AlreadyExists", `volume ${volumeId} is attached to ${nodeId} as ${here.capability}`);
      }
      return answer;
    }
    const elsewhere = volume.attachments[0];
    if (elsewhere && !multiNode.includes(volumeCapability?.accessMode?.mode ?? Mode.UNKNOWN)) {
      refuse("FailedPrecondition", `volume ${volumeId} is already attached to node ${elsewhere.nodeId}`);
    }
    checkLimit(backend, nodeId);
    attaching.add(nodeId, 1n);
    try {
      await saveVolume(backend, { ...volume, attachments: [...volume.attachments, { nodeId, readOnly, capability }] });
    } finally {
      attaching.add(nodeId, -1n);
    }
    return answer;
  });
}

/** ControllerUnpublishVolume: an empty node id detaches from all nodes. */
export async function controllerUnpublishVolume(backend: Backend, { volumeId, nodeId }: ControllerUnpublishVolumeRequest) {
  requireFields({ volume_id: volumeId });
  if (nodeId) checkNode(backend, nodeId);
  await backend.locks.run([volumeLock(volumeId)], async () => {
    const volume = backend.state.volumes.get(volumeId);
    const attachments = nodeId ? volume?.attachments.filter((attachment) => attachment.nodeId !== nodeId) : [];
    if (!volume || !attachments || attachments.length === volume.attachments.length) return;
    const ownNode = backend.settings.nodeId;
    // The process may stand for other nodes too: what is staged belongs to one of those it is attached to.
    const leavesOwnNode = !nodeId || nodeId === ownNode || attachments.length === 0;
    if (leavesOwnNode && (volume.staged.length > 0 || volume.published.length > 0)) {
      lifecycleViolation(backend, `volume ${volumeId} is still staged or published on node ${nodeId || ownNode}`);
    }
    await saveVolume(backend, { ...volume, attachments });
  });
  return {};
}

function checkNode({ settings }: Backend, nodeId: string): void {
  if (nodeId === settings.nodeId || settings.otherNodes.includes(nodeId)) return;
  refuse("NotFound", `node id ${nodeId} is not one of ${[settings.nodeId, ...settings.otherNodes].join(", ")}`);
}

function checkLimit({ settings, state, attaching }: Backend, nodeId: string): void {
  const limit = settings.attachLimit;
  if (limit > 0n && state.attached.get(nodeId) + attaching.get(nodeId) >= limit) {
    refuse("ResourceExhausted", `node ${nodeId} has reached its limit of ${limit} attached volumes`);
  }
}
