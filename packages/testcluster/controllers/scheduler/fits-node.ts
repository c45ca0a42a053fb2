import { isReachable, matchVolume } from "../binder/match-volume.ts";
import type { Claim, Class, ClusterNode, ClusterPod, Driver, StorageCapacity, Volume } from "../fields.ts";
import { matchesLabels, matchesTopology } from "../match-labels.ts";
import { annotation, noProvisioner } from "../names.ts";
import { sizeOf, storageSize } from "../sizes.ts";
import type { ClaimsOfPod } from "./plan-pod.ts";

/** What is known about volumes when a node is judged. */
export interface VolumeWorld {
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

export function fitsNode(pod: ClusterPod, node: ClusterNode, { bound, late }: ClaimsOfPod, world: VolumeWorld): NodeFit | undefined {
  const { name, labels } = node.metadata;
  if (node.spec?.unschedulable || !matchesLabels({ matchLabels: pod.spec?.nodeSelector }, labels)) return undefined;
  if (!bound.every(({ volume }) => isReachable(volume, node) && runsOn(name, volume.spec?.csi?.driver, world))) return undefined;

  const bind: { claim: Claim; volume: Volume }[] = [];
  const provision: Claim[] = [];
  const taken = new Set<string>();
  for (const { claim, storageClass } of [...late].sort(bySize)) {
    const selected = claim.metadata.annotations?.[annotation.selectedNode];
    if (selected !== undefined && selected !== name) return undefined;
    const volume = selected === undefined ? matchVolume(claim, world.candidates(claim), { late: true, node, taken }) : undefined;
    if (volume) {
      taken.add(volume.metadata.name);
      bind.push({ claim, volume });
    } else if (canProvision(claim, storageClass, node, world)) provision.push(claim);
    else return undefined;
  }
  return { node: name, bind, provision };
}

function canProvision(claim: Claim, { metadata, provisioner, allowedTopologies }: Class, node: ClusterNode, world: VolumeWorld): boolean {
  return (
    provisioner !== noProvisioner &&
    matchesTopology(allowedTopologies, node.metadata.labels) &&
    runsOn(node.metadata.name, provisioner, world) &&
    (!world.driverNamed(provisioner)?.spec.storageCapacity ||
      world.capacities().some((it) => it.storageClassName === metadata.name && hasRoom(it, claim) && isNear(it, node)))
  );
}

/** A driver that is registered nowhere limits nothing: clusters without CSINodes can still schedule. */
function runsOn(node: string, driver: string | undefined, world: VolumeWorld): boolean {
  if (driver === undefined) return true;
  const nodes = world.nodesOfDriver(driver);
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
