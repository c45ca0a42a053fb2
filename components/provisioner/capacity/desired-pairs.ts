import { type CachedOf, fields, StorageClass, type StoreReader } from "@csi-sidecars/kube";
import type { NodeTopologies } from "../topology/node-topologies.ts";
import { type Term, termId } from "../topology/term.ts";
import { type Pair, type PairKey, pairKey } from "./pair.ts";

/** What is read of classes. */
export const capacityClassFields = fields(StorageClass, { provisioner: true, parameters: true, volumeBindingMode: true });
export type CapacityClass = CachedOf<typeof capacityClassFields>;

/** A pair that is to have an object, with what GetCapacity needs to know of it. */
export interface DesiredPair extends Pair {
  readonly termId: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Changes when another answer is to be expected. */
  readonly version: string;
}

export interface PairFilter {
  readonly driver: string;
  /** Whether classes with immediate binding count: nobody schedules by them. */
  readonly immediateBinding: boolean;
}

/** All pairs that are to have an object: the driver's classes times its places. */
export function desiredPairs(
  classes: readonly CapacityClass[],
  terms: readonly Term[],
  filter: PairFilter,
): ReadonlyMap<PairKey, DesiredPair> {
  const desired = new Map<PairKey, DesiredPair>();
  const ids = terms.map((term) => [term, termId(term)] as const);
  for (const given of classes) {
    if (!counts(given, filter)) continue;
    const { metadata, parameters = {} } = given;
    const version = versionOf(given);
    for (const [term, id] of ids) {
      const pair = { className: metadata.name, term };
      desired.set(pairKey(pair), { ...pair, termId: id, parameters, version });
    }
  }
  return desired;
}

/** The same from caches, worked out anew only when classes or places have changed: nodes change their labels for many reasons. */
export function desiredPairsOf(
  classes: Pick<StoreReader<CapacityClass>, "list">,
  topologies: Pick<NodeTopologies, "driverTerms">,
  filter: PairFilter,
): () => ReadonlyMap<PairKey, DesiredPair> {
  let known: { readonly of: string; readonly terms: readonly Term[]; readonly pairs: ReadonlyMap<PairKey, DesiredPair> } | undefined;
  return () => {
    const all = classes.list().filter((given) => counts(given, filter));
    const terms = topologies.driverTerms();
    const of = JSON.stringify(all.map((given) => [given.metadata.name, versionOf(given)]).sort());
    if (known?.of !== of || known.terms !== terms) known = { of, terms, pairs: desiredPairs(all, terms, filter) };
    return known.pairs;
  };
}

function counts({ provisioner, volumeBindingMode }: CapacityClass, { driver, immediateBinding }: PairFilter): boolean {
  return provisioner === driver && (immediateBinding || volumeBindingMode !== "Immediate");
}

function versionOf({ metadata, parameters = {} }: CapacityClass): string {
  return JSON.stringify([metadata.uid, parameters]);
}
