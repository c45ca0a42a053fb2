import { type CachedOf, fields, StorageClass, type StoreReader } from "@csi-sidecars/kube";
import type { NodeTopologies } from "../topology/node-topologies.ts";
import { segmentsOf, sortedTerm, type Term, termId } from "../topology/term.ts";

/** What one CSIStorageCapacity is about: the capacity of a class in a topology. */
export interface WorkItem {
  readonly className: string;
  readonly term: Term;
}

/** An item as a string: the key of the work queue, so that no item is worked on twice at a time. */
export type WorkItemKey = string;

/** What identifies an object's item. */
export interface ItemObject {
  readonly metadata: { readonly name: string };
  readonly storageClassName: string;
  readonly nodeTopology?:
    | { readonly matchLabels?: Readonly<Record<string, string>> | undefined; readonly matchExpressions?: readonly unknown[] | undefined }
    | undefined;
}

export function workItemKey({ className, term }: WorkItem): WorkItemKey {
  return JSON.stringify([className, ...term.flatMap(({ key, value }) => [key, value])]);
}

/**
 * The key of an object's item. An object that is about no item (other selectors than labels, no selector) has a key of its own, which is
 * never desired: it is deleted. No labels and empty labels are the same: all nodes.
 */
export function keyOfObject({ metadata, storageClassName, nodeTopology }: ItemObject): WorkItemKey {
  if (!nodeTopology || (nodeTopology.matchExpressions?.length ?? 0) > 0) return `?${metadata.name}`;
  const term = sortedTerm(Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => ({ key, value })));
  return workItemKey({ className: storageClassName, term });
}

export function nodeTopologyOf(term: Term): { matchLabels?: Record<string, string> } {
  return term.length > 0 ? { matchLabels: segmentsOf(term) } : {};
}

/** What is read of classes. */
export const capacityClassFields = fields(StorageClass, { provisioner: true, parameters: true, volumeBindingMode: true });
export type CapacityClass = CachedOf<typeof capacityClassFields>;

/** An item that is to have an object, with what GetCapacity needs to know of it. */
export interface DesiredItem extends WorkItem {
  readonly termId: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Changes when the driver may answer otherwise. */
  readonly version: string;
}

export interface ItemFilter {
  readonly driver: string;
  /** Whether classes with immediate binding count: the scheduler does not ask for their capacity. */
  readonly immediateBinding: boolean;
}

/** All items that are to have an object: the driver's classes times its topologies. */
export function desiredItems(
  classes: readonly CapacityClass[],
  terms: readonly Term[],
  filter: ItemFilter,
): ReadonlyMap<WorkItemKey, DesiredItem> {
  const desired = new Map<WorkItemKey, DesiredItem>();
  const ids = terms.map((term) => [term, termId(term)] as const);
  for (const given of classes) {
    if (!counts(given, filter)) continue;
    const { metadata, parameters = {} } = given;
    const version = versionOf(given);
    for (const [term, id] of ids) {
      const item = { className: metadata.name, term };
      desired.set(workItemKey(item), { ...item, termId: id, parameters, version });
    }
  }
  return desired;
}

/** The same from caches, computed again only when classes or topologies have changed: nodes change their labels for many reasons. */
export function cachedDesiredItems(
  classes: Pick<StoreReader<CapacityClass>, "list">,
  topologies: Pick<NodeTopologies, "driverTerms">,
  filter: ItemFilter,
): () => ReadonlyMap<WorkItemKey, DesiredItem> {
  let known:
    | { readonly versions: string; readonly terms: readonly Term[]; readonly items: ReadonlyMap<WorkItemKey, DesiredItem> }
    | undefined;
  return () => {
    const all = classes.list().filter((given) => counts(given, filter));
    const terms = topologies.driverTerms();
    const versions = JSON.stringify(all.map((given) => [given.metadata.name, versionOf(given)]).sort());
    if (known?.versions !== versions || known.terms !== terms) known = { versions, terms, items: desiredItems(all, terms, filter) };
    return known.items;
  };
}

function counts({ provisioner, volumeBindingMode }: CapacityClass, { driver, immediateBinding }: ItemFilter): boolean {
  return provisioner === driver && (immediateBinding || volumeBindingMode !== "Immediate");
}

function versionOf({ metadata, parameters = {} }: CapacityClass): string {
  return JSON.stringify([metadata.uid, parameters]);
}
