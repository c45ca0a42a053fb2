import { annotation, noProvisioner } from "../annotations.ts";
import { isReachable, matchVolume } from "../binder/match-volume.ts";
import { sizeOf, storageSize } from "../claims.ts";
import type { Claim, Class, ClusterNode, ClusterPod, Driver, StorageCapacity, Volume } from "../fields.ts";
import { matchesLabels, matchesNode, matchesTopology } from "../selectors.ts";
import { misfit } from "./unschedulable.ts";

/** The claims of a pod: those that are bound, and those that are bound when the pod has a node. */
export interface ClaimsOfPod {
  readonly bound: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly late: readonly { readonly claim: Claim; readonly storageClass: Class }[];
}

/** What is known about volumes when a node is judged. */
export interface VolumeListers extends NodeVolumes {
  volumeNamed(name: string): Volume | undefined;
  classNamed(name: string): Class | undefined;
  candidates(claim: Claim): readonly Volume[];
  driverNamed(name: string): Driver | undefined;
  /** The nodes where a driver is registered. */
  nodesOfDriver(driver: string): ReadonlySet<string>;
  capacities(): readonly StorageCapacity[];
}

/** A node that can take the pod, and what its late claims get there: a volume that exists, or one to be provisioned. */
export interface NodeFit {
  readonly node: string;
  readonly bind: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly provision: readonly Claim[];
}

/** What the pod gets on the node, or why it cannot go there. */
export function fitsNode(pod: ClusterPod, node: ClusterNode, { bound, late }: ClaimsOfPod, listers: VolumeListers): NodeFit | string {
  const { name } = node.metadata;
  const misfitting = whyNotNode(pod, node) ?? whyNotVolumes({ bound, late }, node, listers);
  if (misfitting) return misfitting;

  const bind: { claim: Claim; volume: Volume }[] = [];
  const provision: Claim[] = [];
  const taken = new Set<string>();
  for (const { claim, storageClass } of [...late].sort(bySize)) {
    const selected = claim.metadata.annotations?.[annotation.selectedNode];
    if (selected !== undefined && selected !== name) return misfit.noVolume;
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

/** What the node and the pod say of each other. */
function whyNotNode(pod: ClusterPod, node: ClusterNode): string | undefined {
  const affinity = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (node.spec?.unschedulable && !toleratesCordon(pod)) return misfit.cordoned;
  if (!toleratesTaints(pod, node)) return misfit.tainted;
  const isSelected = matchesLabels({ matchLabels: pod.spec?.nodeSelector }, node.metadata.labels);
  return isSelected && (!affinity || matchesNode(affinity, node.metadata)) ? undefined : misfit.notSelected;
}

function whyNotVolumes({ bound, late }: ClaimsOfPod, node: ClusterNode, listers: VolumeListers): string | undefined {
  for (const { volume } of bound) {
    const driver = volume.spec?.csi?.driver;
    if (driver !== undefined && !runsOn(node.metadata.name, driver, listers)) return misfit.noDriver(driver);
  }
  if (exceedsLimit(node.metadata.name, { bound, late }, listers)) return misfit.tooMany;
  return bound.every(({ volume }) => isReachable(volume, node)) ? undefined : misfit.volumeElsewhere;
}

function whyNotProvision(
  claim: Claim,
  { metadata, provisioner, allowedTopologies }: Class,
  node: ClusterNode,
  listers: VolumeListers,
): string | undefined {
  if (provisioner === noProvisioner || !matchesTopology(allowedTopologies, node.metadata.labels)) return misfit.noVolume;
  if (!runsOn(node.metadata.name, provisioner, listers)) return misfit.noDriver(provisioner);
  const hasRoomThere =
    !listers.driverNamed(provisioner)?.spec.storageCapacity ||
    listers.capacities().some((it) => it.storageClassName === metadata.name && hasRoom(it, claim) && isNear(it, node));
  return hasRoomThere ? undefined : misfit.noRoom;
}

/** A driver that is registered nowhere limits nothing: clusters without CSINodes can still schedule. */
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

/** The server gives it to every new node. Nodes are served here from the moment they exist, and no controller takes it away. */
const sinceCreation = "node.kubernetes.io/not-ready";

/** Where a cordon is a taint: a pod that tolerates it goes to cordoned nodes. */
const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Whether the pod may be placed although the node is cordoned. */
const toleratesCordon = (pod: ClusterPod): boolean => isTolerated(cordon, pod.spec?.tolerations ?? []);

/** Whether no taint keeps the pod from the node. `PreferNoSchedule` keeps nobody away. */
function toleratesTaints(pod: ClusterPod, node: ClusterNode): boolean {
  const hard = (node.spec?.taints ?? []).filter(
    ({ key, effect }) => effect === "NoExecute" || (effect === "NoSchedule" && key !== sinceCreation),
  );
  return hard.every((taint) => isTolerated(taint, pod.spec?.tolerations ?? []));
}

/** An empty key, with `Exists`, stands for every key; an empty effect for every effect. */
const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some(
    ({ key, effect, operator = "Equal", value = "" }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""))),
  );

/** What is known about the volumes of a node. */
interface NodeVolumes {
  /** How many volumes of the driver a node takes, if the driver says so. */
  volumeLimit(node: string, driver: string): number | undefined;
  /** The handles of the driver's volumes that pods have there. */
  volumesOn(node: string, driver: string): ReadonlySet<string>;
}

/** Whether the node would have more volumes of a driver with the pod than that driver can attach there. Volumes that are there already count once. */
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
