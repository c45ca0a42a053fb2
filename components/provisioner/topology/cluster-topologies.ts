import { ownValue } from "@csi-sidecars/base";
import type { View } from "@csi-sidecars/kube";
import { type CsiNodeTopology, keysOf, type NodeLabels, readTopologies, type WatchedTopologies } from "./node-topologies.ts";
import { compareTerms, type Labels, type Term } from "./term.ts";

/**
 * The topologies of a cluster, kept until a label or a key changes: a thousand claims cost one walk over
 * the nodes. Give it views of `nodeFields` and `csiNodeFields`; it shows nothing before they are synced.
 */
export function clusterTopologies(driver: string, csiNodes: View<CsiNodeTopology>, nodes: View<NodeLabels>): WatchedTopologies {
  const read = readTopologies(driver, { csiNodes, nodes });
  const listeners = new Set<() => void>();
  const terms = new Map<string, readonly Term[]>();
  const asked = new Set<string>();
  let keySets: readonly (readonly string[])[] | undefined;
  /** The labels that are used: nodes change others for many reasons. */
  let keysThatMatter: ReadonlySet<string> | undefined;
  let driverTerms: readonly Term[] = [];
  let driverTermsKnown = false;

  const changed = () => {
    terms.clear();
    asked.clear();
    keySets = undefined;
    keysThatMatter = undefined;
    driverTermsKnown = false;
    for (const listener of listeners) listener();
  };
  nodes.addHandler({
    onAdd: changed,
    onUpdate: (old, node) => {
      keysThatMatter ??= new Set([...current.keySets().flat(), ...asked]);
      if (!sameLabels(old.metadata.labels, node.metadata.labels, keysThatMatter)) changed();
    },
    onDelete: changed,
  });
  csiNodes.addHandler({
    onAdd: changed,
    onUpdate: (old, csiNode) => {
      if (!sameKeys(keysOf(old, driver), keysOf(csiNode, driver))) changed();
    },
    onDelete: changed,
  });

  const current: WatchedTopologies = {
    ...read,
    keySets: () => {
      keySets ??= read.keySets();
      return keySets;
    },
    termsWith(keys) {
      const id = JSON.stringify(keys);
      const known = terms.get(id);
      if (known) return known;
      const found = read.termsWith(keys);
      terms.set(id, found);
      for (const key of keys) asked.add(key);
      keysThatMatter = undefined;
      return found;
    },
    driverTerms: () => {
      if (driverTermsKnown) return driverTerms;
      const now = read.driverTerms();
      if (!sameTerms(now, driverTerms)) driverTerms = now;
      driverTermsKnown = true;
      return driverTerms;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async waitForSync(signal) {
      await Promise.all([csiNodes.waitForSync(signal), nodes.waitForSync(signal)]);
    },
  };
  return current;
}

function sameTerms(a: readonly Term[], b: readonly Term[]): boolean {
  return a.length === b.length && a.every((term, index) => compareTerms(term, b[index] ?? []) === 0);
}

function sameKeys(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameLabels(a: Labels = {}, b: Labels = {}, keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (ownValue(a, key) !== ownValue(b, key)) return false;
  return true;
}
