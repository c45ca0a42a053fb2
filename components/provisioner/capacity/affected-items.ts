import { type NodeAffinity, termOfSelector } from "../topology/node-affinity.ts";
import { termId } from "../topology/term.ts";
import type { DesiredItem, WorkItemKey } from "./work-items.ts";

/** A volume that was created, may have been created, or was deleted: the capacity has changed. */
export interface VolumeChange {
  readonly className?: string | undefined;
  /** Of the PersistentVolume; absent where none is known. */
  readonly nodeAffinity?: NodeAffinity | undefined;
}

/**
 * Which items the change affects: all classes in the volume's topologies, else all topologies of its class. A topology must be exactly the item's;
 * `skipped` says which terms name none.
 */
export function affectedItems(
  { className, nodeAffinity }: VolumeChange,
  groups: ItemGroups,
): { readonly keys: readonly WorkItemKey[]; readonly skipped: readonly string[] } {
  const selectors = nodeAffinity?.required?.nodeSelectorTerms;
  if (!selectors) return { keys: className === undefined ? [] : groups.ofClass(className), skipped: [] };
  const terms = selectors.map(termOfSelector);
  const ids = new Set(terms.flatMap((term) => ("error" in term ? [] : [termId(term)])));
  return {
    keys: [...ids].flatMap((id) => groups.ofTopology(id)),
    skipped: terms.flatMap((term) => ("error" in term ? [term.error] : [])),
  };
}

/** The desired items by class and by topology: a volume that came or went finds its items without a walk over all of them. */
export interface ItemGroups {
  ofClass(name: string): readonly WorkItemKey[];
  /** By {@link termId}. */
  ofTopology(id: string): readonly WorkItemKey[];
}

export function itemGroups(items: ReadonlyMap<WorkItemKey, DesiredItem>): ItemGroups {
  const classes = new Map<string, WorkItemKey[]>();
  const topologies = new Map<string, WorkItemKey[]>();
  for (const [key, { className, termId }] of items) {
    member(classes, className).push(key);
    member(topologies, termId).push(key);
  }
  return { ofClass: (name) => classes.get(name) ?? [], ofTopology: (id) => topologies.get(id) ?? [] };
}

function member(groups: Map<string, WorkItemKey[]>, name: string): WorkItemKey[] {
  const known = groups.get(name) ?? [];
  groups.set(name, known);
  return known;
}
