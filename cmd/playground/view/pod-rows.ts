import { claimsOf } from "@csi-sidecars/controller";
import { keyOf, type V1Pod } from "@csi-sidecars/kube";
import { created } from "./snapshot-rows.ts";
import type { AttachmentRow, ClaimRow, PodRow } from "./status.ts";

/** What the rows of pods need to know. */
export interface PodSurroundings {
  readonly claims: readonly ClaimRow[];
  readonly attachments: readonly AttachmentRow[];
  /** Whether the driver needs its volumes attached. */
  readonly attaches: boolean;
  /** Of the pod with this uid. */
  isMounted(uid: string): boolean;
  /** How full they are. */
  usageOf(uid: string): string;
  /** Why the volumes on a node are not mounted. */
  whyNotMounted(node: string): string | undefined;
}

export function podRow(pod: V1Pod, surroundings: PodSurroundings): PodRow {
  const { metadata, spec, status } = pod;
  const phase = metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? "Pending");
  return { name: keyOf(pod), phase, node: spec?.nodeName ?? "", volumes: volumesOf(pod, surroundings), since: created(pod) };
}

function volumesOf({ metadata, spec, status }: V1Pod, surroundings: PodSurroundings): string {
  const { claims, attachments, attaches, isMounted, usageOf, whyNotMounted } = surroundings;
  const used = claimsOf({ metadata: { name: metadata?.name ?? "", namespace: metadata?.namespace }, spec, status });
  const [node, uid] = [spec?.nodeName, metadata?.uid ?? ""];
  if (used.length === 0) return "";
  const missing = used.find(({ key }) => !isBound(claims.find(({ name }) => name === key)));
  if (missing) return `wait for the claim ${missing.key.split("/")[1]}`;
  if (node === undefined) return "wait for a node";
  const isAttached = (key: string) => {
    const volume = claims.find(({ name }) => name === key)?.volume;
    return attachments.some((row) => row.volume === volume && row.node === node && row.phase === "Attached");
  };
  const mounted = isMounted(uid);
  if (!mounted && attaches && !used.every(({ key }) => isAttached(key))) return "wait to be attached";
  if (whyNotMounted(node) !== undefined) return "not mounted";
  if (!mounted) return "wait to be mounted";
  return ["mounted", usageOf(uid)].filter((text) => text !== "").join(", ");
}

/** One that is being deleted has its volume as long as pods use it. */
const isBound = (claim: ClaimRow | undefined) => claim?.phase === "Bound" || (claim?.phase === "Terminating" && claim.volume !== "");
