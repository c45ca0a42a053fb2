import { createHash } from "node:crypto";
import { annotation } from "../annotations.ts";
import type { Attachment, ClusterNode, ClusterPod, Driver, Volume } from "../fields.ts";

export interface VolumeUse {
  /** `undefined` when the volume is gone and only its attachments exist. */
  readonly volume: Volume | undefined;
  readonly driver: Driver | undefined;
  /** Pods on a node that use the volume and are not finished. */
  readonly pods: readonly ClusterPod[];
  /** All attachments of the volume. */
  readonly attachments: readonly Attachment[];
  nodeNamed(name: string): ClusterNode | undefined;
  /** Whether the controller may delete the attachment: not those that users create while it runs. */
  isOurs(attachment: Attachment): boolean;
}

interface AttachmentsPlan {
  readonly create: readonly NewAttachment[];
  readonly remove: readonly Attachment[];
  /** Pods that cannot use the volume because it is attached to another node. */
  readonly refuse: readonly { readonly pod: ClusterPod; readonly node: string; readonly message: string }[];
}

export interface NewAttachment {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly attacher: string; readonly nodeName: string; readonly source: { readonly persistentVolumeName: string } };
}

/** Compares the nodes that a volume should be attached to with those it is attached to. */
export function planAttachments(use: VolumeUse): AttachmentsPlan {
  const csi = use.driver?.spec.attachRequired === false ? undefined : use.volume?.spec?.csi;
  const wanted = csi ? nodesOf(use) : [];
  const attached = new Set(use.attachments.map(({ spec }) => spec.nodeName));
  const remove = use.attachments.filter(
    (attachment) =>
      !wanted.includes(attachment.spec.nodeName) &&
      attachment.metadata.deletionTimestamp === undefined &&
      use.isOurs(attachment) &&
      !isInUse(use, attachment.spec.nodeName),
  );
  if (!csi || !use.volume) return { create: [], remove, refuse: [] };

  const missing = wanted.filter((node) => !attached.has(node));
  const free = allowsSeveralNodes(use.volume) ? missing : attached.size > 0 ? [] : missing.slice(0, 1);
  const { name } = use.volume.metadata;
  const create = free.map((nodeName) => ({
    metadata: { name: attachmentName(csi.volumeHandle, csi.driver, nodeName) },
    spec: { attacher: csi.driver, nodeName, source: { persistentVolumeName: name } },
  }));
  const refused = missing.filter((node) => !free.includes(node));
  const refuse = refused.flatMap((node) =>
    podsOn(use, node).map((pod) => ({ pod, node, message: `Multi-Attach error for volume "${name}" ${whoHasIt(use, pod)}` })),
  );
  return { create, remove, refuse };
}

/** Whether attaching is managed by the controller and not by the node's kubelet. */
export const isManaged = (node: ClusterNode | undefined): boolean => node?.metadata.annotations?.[annotation.managedAttach] === "true";

/** In the order of the pods. */
function nodesOf(use: VolumeUse): readonly string[] {
  const names = use.pods.map(({ spec }) => spec?.nodeName ?? "");
  return [...new Set(names)].filter((name) => isManaged(use.nodeNamed(name)));
}

/** A volume in `volumesInUse` of its node may still be mounted and is not detached. */
function isInUse({ volume, nodeNamed }: VolumeUse, nodeName: string): boolean {
  const csi = volume?.spec?.csi;
  return csi !== undefined && (nodeNamed(nodeName)?.status?.volumesInUse ?? []).includes(uniqueVolumeName(csi));
}

function allowsSeveralNodes({ spec }: Volume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany");
}

function podsOn({ pods }: VolumeUse, node: string): readonly ClusterPod[] {
  return pods.filter(({ spec }) => spec?.nodeName === node);
}

/** Names only pods of the reader's own namespace. */
function whoHasIt({ pods, attachments }: VolumeUse, reader: ClusterPod): string {
  const nodes = attachments.map(({ spec }) => spec.nodeName);
  const users = pods.filter(({ spec }) => spec?.nodeName !== reader.spec?.nodeName && nodes.includes(spec?.nodeName ?? ""));
  if (users.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
  const local = users.filter(({ metadata }) => metadata.namespace === reader.metadata.namespace).map(({ metadata }) => metadata.name);
  const others = users.length - local.length;
  if (local.length === 0) return `Volume is already used by ${others} pod(s) in different namespaces`;
  const text = `Volume is already used by pod(s) ${local.join(", ")}`;
  return others > 0 ? `${text} and ${others} pod(s) in different namespaces` : text;
}

/** The name under which a volume's attachment to a node is known to the attach/detach controller and to kubelet. */
export function attachmentName(volumeHandle: string, driver: string, nodeName: string): string {
  return `csi-${createHash("sha256").update(`${volumeHandle}${driver}${nodeName}`).digest("hex")}`;
}

/** How nodes name a CSI volume in `status.volumesInUse` and `status.volumesAttached`. */
export function uniqueVolumeName(csi: { readonly driver: string; readonly volumeHandle: string }): string {
  return `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`;
}
