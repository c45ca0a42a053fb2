import { matchesLabels } from "@csi-sidecars/kube";
import { annotation, noProvisioner } from "../annotations.ts";
import { isReachable, matchVolume } from "../binder/match-volume.ts";
import { sizeOf, storageSize } from "../claims.ts";
import type { Claim, Class, ClusterNode, ClusterPod, Driver, StorageCapacity, Volume } from "../fields.ts";
import { matchesNode, matchesTopology } from "../selectors.ts";
import { filterReason } from "./unschedulable.ts";

/** The claims of a pod: bound ones, and WaitForFirstConsumer claims that are bound when the pod has a node. */
export interface ClaimsOfPod {
  readonly bound: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly late: readonly { readonly claim: Claim; readonly storageClass: Class }[];
}

/** What the volume filters read. */
export interface VolumeListers extends NodeVolumes {
  volumeNamed(name: string): Volume | undefined;
  classNamed(name: string): Class | undefined;
  candidates(claim: Claim): readonly Volume[];
  driverNamed(name: string): Driver | undefined;
  /** The nodes where a driver is registered. */
  nodesOfDriver(driver: string): ReadonlySet<string>;
  capacities(): readonly StorageCapacity[];
}

/** A node that fits the pod, and how its unbound claims are satisfied there: by an existing volume, or by a new one. */
export interface NodeFit {
  readonly node: string;
  readonly bind: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly provision: readonly Claim[];
}

/** Filters a node: how the claims of the pod are satisfied there, or why the node does not fit. */
export function fitsNode(pod: ClusterPod, node: ClusterNode, { bound, late }: ClaimsOfPod, listers: VolumeListers): NodeFit | string {
  const { name } = node.metadata;
  const reason = whyNotNode(pod, node) ?? whyNotVolumes({ bound, late }, node, listers);
  if (reason) return reason;

  const bind: { claim: Claim; volume: Volume }[] = [];
  const provision: Claim[] = [];
  const taken = new Set<string>();
  for (const { claim, storageClass } of [...late].sort(bySize)) {
    const selected = claim.metadata.annotations?.[annotation.selectedNode];
    if (selected !== undefined && selected !== name) return filterReason.noVolume;
    const volume = selected === undefined ? matchVolume(claim, listers.candidates(claim), { late: true, node, taken }) : undefined;
    if (volume) {
      taken.add(volume.metadata.name);
      bind.push({ claim, volume });
      continue;
    }
    const unable = whyNotProvision(claim, storageClass, node, listers);
    if (unable) return unable;
    provision.push(claim);
  }
  return { node: name, bind, provision };
}

/** The filters that do not concern volumes: cordon, taints, node selector and affinity. */
function whyNotNode(pod: ClusterPod, node: ClusterNode): string | undefined {
  const affinity = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (node.spec?.unschedulable && !toleratesCordon(pod)) return filterReason.cordoned;
  if (!toleratesTaints(pod, node)) return filterReason.tainted;
  const isSelected = matchesLabels({ matchLabels: pod.spec?.nodeSelector }, node.metadata.labels);
  return isSelected && (!affinity || matchesNode(affinity, node.metadata)) ? undefined : filterReason.notSelected;
}

function whyNotVolumes({ bound, late }: ClaimsOfPod, node: ClusterNode, listers: VolumeListers): string | undefined {
  for (const { volume } of bound) {
    const driver = volume.spec?.csi?.driver;
    if (driver !== undefined && !runsOn(node.metadata.name, driver, listers)) return filterReason.noDriver(driver);
  }
  if (exceedsLimit(node.metadata.name, { bound, late }, listers)) return filterReason.tooMany;
  return bound.every(({ volume }) => isReachable(volume, node)) ? undefined : filterReason.volumeElsewhere;
}

function whyNotProvision(
  claim: Claim,
  { metadata, provisioner, allowedTopologies }: Class,
  node: ClusterNode,
  listers: VolumeListers,
): string | undefined {
  if (provisioner === noProvisioner || !matchesTopology(allowedTopologies, node.metadata.labels)) return filterReason.noVolume;
  if (!runsOn(node.metadata.name, provisioner, listers)) return filterReason.noDriver(provisioner);
  const hasRoomThere =
    !listers.driverNamed(provisioner)?.spec.storageCapacity ||
    listers.capacities().some((it) => it.storageClassName === metadata.name && hasRoom(it, claim) && isNear(it, node));
  return hasRoomThere ? undefined : filterReason.noRoom;
}

/** A driver that is registered on no node is not required: clusters without CSINodes can still schedule. */
function runsOn(node: string, driver: string, listers: VolumeListers): boolean {
  const nodes = listers.nodesOfDriver(driver);
  return nodes.size === 0 || nodes.has(node);
}

function hasRoom({ capacity, maximumVolumeSize }: StorageCapacity, claim: Claim): boolean {
  const limit = maximumVolumeSize ?? capacity;
  return limit !== undefined && sizeOf(limit) >= storageSize(claim.spec?.resources?.requests);
}

function isNear({ nodeTopology }: StorageCapacity, node: ClusterNode): boolean {
  return nodeTopology !== undefined && matchesLabels(nodeTopology, node.metadata.labels);
}

function bySize(a: { readonly claim: Claim }, b: { readonly claim: Claim }): number {
  const [sizeA, sizeB] = [storageSize(a.claim.spec?.resources?.requests), storageSize(b.claim.spec?.resources?.requests)];
  return sizeA === sizeB ? 0 : sizeA < sizeB ? -1 : 1;
}

type Taint = NonNullable<NonNullable<ClusterNode["spec"]>["taints"]>[number];
type Toleration = NonNullable<NonNullable<ClusterPod["spec"]>["tolerations"]>[number];

/** The server sets this taint on every new node, and no controller removes it here: nodes are ready from the start. */
const sinceCreation = "node.kubernetes.io/not-ready";

/** The taint of a cordoned node. */
const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Whether the pod tolerates cordoned nodes. */
const toleratesCordon = (pod: ClusterPod): boolean => isTolerated(cordon, pod.spec?.tolerations ?? []);

/** Whether the pod tolerates the taints of the node. `PreferNoSchedule` is ignored. */
function toleratesTaints(pod: ClusterPod, node: ClusterNode): boolean {
  const hard = (node.spec?.taints ?? []).filter(
    ({ key, effect }) => effect === "NoExecute" || (effect === "NoSchedule" && key !== sinceCreation),
  );
  return hard.every((taint) => isTolerated(taint, pod.spec?.tolerations ?? []));
}

/** An empty key with `Exists` matches every key, an empty effect every effect. */
const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some(
    ({ key, effect, operator = "Equal", value = "" }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""))),
  );

/** What the volume limit filter reads. */
interface NodeVolumes {
  /** How many volumes of the driver a node can attach, if the driver reports it. */
  volumeLimit(node: string, driver: string): number | undefined;
  /** The handles of the driver's volumes that pods on the node use. */
  volumesOn(node: string, driver: string): ReadonlySet<string>;
}

/** Whether the pod would exceed the volume limit of a driver on the node. Volumes that are already in use there count once. */
function exceedsLimit(node: string, { bound, late }: ClaimsOfPod, listers: NodeVolumes): boolean {
  const wanted = [
    ...bound.flatMap(({ volume: { spec } }) => (spec?.csi ? [{ driver: spec.csi.driver, id: spec.csi.volumeHandle }] : [])),
    ...late.map(({ claim, storageClass }) => ({ driver: storageClass.provisioner, id: `claim ${claim.metadata.uid}` })),
  ];
  const byDriver = Map.groupBy(wanted, ({ driver }) => driver);
  return [...byDriver].some(([driver, volumes]) => {
    const limit = listers.volumeLimit(node, driver);
    const there = listers.volumesOn(node, driver);
    const added = new Set(volumes.map(({ id }) => id).filter((id) => !there.has(id)));
    return limit !== undefined && added.size > 0 && there.size + added.size > limit;
  });
}
