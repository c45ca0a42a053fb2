import { done, objectEvents } from "@csi-sidecars/controller";
import { isAlreadyExists, isNotFound, Pod, refKey, VolumeAttachment } from "@csi-sidecars/kube";
import { claimKeyOf } from "../binder/match-volume.ts";
import { claimsOfPod, isTerminated } from "../claims.ts";
import {
  type Attachment,
  attachmentFields,
  type Claim,
  type ClusterNode,
  type ClusterPod,
  claimFields,
  driverFields,
  nodeFields,
  podFields,
  type Volume,
  volumeFields,
} from "../fields.ts";
import { type ClusterController, emit, newController, type PlannedEvent, retryOnConflict } from "../runtime/cluster-controller.ts";
import { OwnAttachments } from "./own-attachments.ts";
import { isManaged, planAttachments, uniqueVolumeName } from "./plan-attachments.ts";

/** The attach/detach controller for CSI volumes. A key is a volume, so that a single-node volume is never attached to two nodes. */
export const attachDetach: ClusterController = (context) => {
  const { client, informers } = context;
  const events = objectEvents(context.recorder("attachdetach-controller"), Pod);
  const pods = informers.forFields(podFields);
  const claims = informers.forFields(claimFields);
  const volumes = informers.forFields(volumeFields);
  const drivers = informers.forFields(driverFields);
  const nodes = informers.forFields(nodeFields);
  const attachments = informers.forFields(attachmentFields);
  const controller = newController(context, {
    name: "attachdetach",
    workers: 8,
    waitFor: [pods, claims, volumes, drivers, nodes, attachments],
  });
  pods.addIndex("claim", claimsOfPod);
  pods.addIndex("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  volumes.addIndex("driver", ({ spec }) => (spec?.csi ? [spec.csi.driver] : []));
  volumes.addIndex("unique", ({ spec }) => (spec?.csi ? [uniqueVolumeName(spec.csi)] : []));
  attachments.addIndex("volume", ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []));
  attachments.addIndex("node", ({ spec }) => [spec.nodeName]);

  const own = new OwnAttachments();
  /** By volume: the pods that already have an event that another node uses it, as `node/uid`. */
  const refused = new Map<string, ReadonlySet<string>>();

  const addVolume = ({ metadata }: Volume) => controller.enqueue(metadata.name);
  const addClaim = ({ spec }: Claim) => {
    if (spec?.volumeName) controller.enqueue(spec.volumeName);
  };
  const addPod = (pod: ClusterPod) => {
    for (const key of claimsOfPod(pod)) {
      const claim = claims.get(key);
      if (claim) addClaim(claim);
    }
  };
  const addAttachment = ({ spec }: Attachment) => {
    if (spec.source.persistentVolumeName) controller.enqueue(spec.source.persistentVolumeName);
  };
  const addNode = ({ metadata }: ClusterNode) => {
    for (const pod of pods.byIndex("node", metadata.name)) addPod(pod);
    for (const attachment of attachments.byIndex("node", metadata.name)) addAttachment(attachment);
  };
  pods.addHandler({ onAdd: addPod, onUpdate: (_old, pod) => addPod(pod), onDelete: addPod });
  claims.addHandler({ onAdd: addClaim, onUpdate: (_old, claim) => addClaim(claim), onDelete: addClaim });
  volumes.addHandler({ onAdd: addVolume, onUpdate: (_old, volume) => addVolume(volume), onDelete: addVolume });
  nodes.addHandler({
    onAdd: addNode,
    onUpdate(old, node) {
      if (isManaged(old) !== isManaged(node)) addNode(node);
      const inUse = new Set(node.status?.volumesInUse);
      for (const name of old.status?.volumesInUse ?? []) if (!inUse.has(name)) volumes.byIndex("unique", name).forEach(addVolume);
    },
  });
  const addDriver = ({ metadata }: { readonly metadata: { readonly name: string } }) => {
    for (const volume of volumes.byIndex("driver", metadata.name)) addVolume(volume);
  };
  drivers.addHandler({ onAdd: addDriver, onUpdate: (_old, driver) => addDriver(driver), onDelete: addDriver });
  attachments.addHandler({
    onAdd(attachment, { initial }) {
      own.seen(attachment, initial);
      addAttachment(attachment);
    },
    onUpdate(old, attachment) {
      const event = attachEvent(old, attachment);
      for (const pod of event ? usersOf(attachment.spec.source.persistentVolumeName ?? "") : []) {
        if (event && pod.spec?.nodeName === attachment.spec.nodeName) emit(events, pod, event);
      }
      addAttachment(attachment);
    },
    onDelete(attachment) {
      own.gone(attachment);
      addAttachment(attachment);
    },
  });

  /** Pods on nodes that use the volume through the claim it is bound to. */
  function usersOf(name: string): readonly ClusterPod[] {
    const volume = volumes.get(name);
    const key = volume && claimKeyOf(volume);
    const claim = key === undefined ? undefined : claims.get(key);
    if (claim?.status?.phase !== "Bound" || claim.spec?.volumeName !== name) return [];
    return pods.byIndex("claim", refKey(claim.metadata)).filter((pod) => pod.spec?.nodeName && !isTerminated(pod));
  }

  const reconcile = retryOnConflict(context.log.named("attachdetach"), async (name, signal) => {
    const volume = volumes.get(name);
    const plan = planAttachments({
      volume,
      driver: volume?.spec?.csi && drivers.get(volume.spec.csi.driver),
      pods: usersOf(name),
      attachments: [...attachments.byIndex("volume", name), ...own.unseenOf(name)],
      nodeNamed: (node) => nodes.get(node),
      isOurs: (attachment) => own.has(attachment),
    });
    for (const attachment of plan.remove) {
      own.deleting(attachment);
      await client.delete(VolumeAttachment, attachment.metadata, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return;
        own.notDeleting(attachment);
        throw error;
      });
    }
    for (const attachment of plan.create) {
      own.creating(attachment);
      await client.create(VolumeAttachment, attachment, { signal }).catch((error: unknown) => {
        const present = attachments.get(attachment.metadata.name);
        if (present) own.seen(present, false);
        if (isAlreadyExists(error)) return;
        own.notCreated(attachment);
        throw error;
      });
    }
    const told = refused.get(name);
    for (const { pod, node, message } of plan.refuse) {
      if (!told?.has(`${node}/${pod.metadata.uid}`)) events.warning(pod, "FailedAttachVolume", message);
    }
    if (plan.refuse.length === 0) refused.delete(name);
    else refused.set(name, new Set(plan.refuse.map(({ pod, node }) => `${node}/${pod.metadata.uid}`)));
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};

/** The event for the pods on the node when an attachment succeeds or fails. */
function attachEvent(old: Attachment, { spec, status }: Attachment): PlannedEvent | undefined {
  const volume = spec.source.persistentVolumeName;
  if (status?.attached && !old.status?.attached) {
    return { type: "Normal", reason: "SuccessfulAttachVolume", message: `AttachVolume.Attach succeeded for volume "${volume}" ` };
  }
  const [before, now] = [old.status?.attachError, status?.attachError];
  if (!now || (now.time === before?.time && now.message === before?.message)) return undefined;
  return {
    type: "Warning",
    reason: "FailedAttachVolume",
    message: `AttachVolume.Attach failed for volume "${volume}" : ${now.message ?? ""}`,
  };
}
