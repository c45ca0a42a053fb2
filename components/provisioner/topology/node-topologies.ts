import { type CachedOf, CSINode, fields, Node, type StoreReader } from "@csi-sidecars/kube";
import { distinctTerms, type Labels, segmentsOf, type Term, termOf, termOfLabels } from "./term.ts";

/** What a node's registration says about the driver. */
export type DriverOnNode =
  | { readonly state: "no-csinode" }
  | { readonly state: "not-registered" }
  | { readonly state: "registered"; readonly keys: readonly string[] };

/** The topologies of nodes for the driver's volumes: all that {@link topologyRequirement} needs to know of the cluster. */
export interface NodeTopologies {
  driverOn(node: string): DriverOnNode;
  /** `undefined`: there is no such node. */
  labelsOf(node: string): Labels | undefined;
  /** The different sets of keys that the driver registered, the most frequent first; none that is empty. */
  keySets(): readonly (readonly string[])[];
  /** The topologies of all nodes that have every key, with or without the driver: each once, sorted. */
  termsWith(keys: readonly string[]): readonly Term[];
  /** The topologies of the nodes that the driver is registered on, each once, sorted. A driver without keys is everywhere: one empty term. */
  driverTerms(): readonly Term[];
}

/** The same with changes. `driverTerms` returns the same array until the terms change. */
export interface WatchedTopologies extends NodeTopologies {
  /** Calls back after every change of nodes, of labels that matter, or of the driver's keys; the returned function ends that. */
  onChange(listener: () => void): () => void;
  /** Resolves when the caches of nodes have synced. */
  waitForSync(signal?: AbortSignal): Promise<void>;
}

export const csiNodeFields = fields(CSINode, { spec: { drivers: [{ name: true, topologyKeys: true }] } });
export type CsiNodeTopology = CachedOf<typeof csiNodeFields>;

export const nodeFields = fields(Node, { metadata: { labels: true } });
export type NodeLabels = CachedOf<typeof nodeFields>;

export interface NodeReaders {
  readonly csiNodes: Pick<StoreReader<CsiNodeTopology>, "get" | "list">;
  readonly nodes: Pick<StoreReader<NodeLabels>, "get" | "list">;
}

/** Reads the caches with every call. {@link clusterTopologies} remembers the results. */
export function readTopologies(driver: string, { csiNodes, nodes }: NodeReaders): NodeTopologies {
  const labelsOf = (node: string) => {
    const found = nodes.get(node);
    return found && (found.metadata.labels ?? {});
  };
  return {
    driverOn(node) {
      const csiNode = csiNodes.get(node);
      if (!csiNode) return { state: "no-csinode" };
      const keys = keysOf(csiNode, driver);
      return keys ? { state: "registered", keys } : { state: "not-registered" };
    },
    labelsOf,
    keySets() {
      const counts = new Map<string, { readonly keys: readonly string[]; count: number }>();
      for (const csiNode of csiNodes.list()) {
        const keys = [...(keysOf(csiNode, driver) ?? [])].sort();
        if (keys.length === 0) continue;
        const id = JSON.stringify(keys);
        const entry = counts.get(id) ?? { keys, count: 0 };
        entry.count++;
        counts.set(id, entry);
      }
      const sorted = [...counts].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
      return sorted.map(([, { keys }]) => keys);
    },
    termsWith: (keys) => distinctTerms(nodes.list().flatMap(({ metadata }) => optional(termOfLabels(metadata.labels ?? {}, keys)))),
    driverTerms() {
      const terms = csiNodes.list().flatMap((csiNode) => {
        const keys = keysOf(csiNode, driver);
        const labels = keys && labelsOf(csiNode.metadata.name);
        return optional(labels && termOfLabels(labels, keys));
      });
      return distinctTerms(terms);
    },
  };
}

/** The keys that the driver registered on the node; `undefined` when it is not registered there. */
export function keysOf(csiNode: CsiNodeTopology, driver: string): readonly string[] | undefined {
  // A list from which the last driver went is `null` on the wire.
  const entry = csiNode.spec.drivers?.find(({ name }) => name === driver);
  return entry && (entry.topologyKeys ?? []);
}

/** A cluster of one node with the driver on it: what an instance that serves only its own node may know. */
export function singleNode(name: string, segments: Labels): WatchedTopologies {
  const term = termOf(segments);
  const labels = segmentsOf(term);
  const keys = term.map(({ key }) => key);
  const only = [term];
  return {
    driverOn: (node) => (node === name ? { state: "registered", keys } : { state: "no-csinode" }),
    labelsOf: (node) => (node === name ? labels : undefined),
    keySets: () => (keys.length > 0 ? [keys] : []),
    termsWith: (wanted) => optional(termOfLabels(labels, wanted)),
    driverTerms: () => only,
    onChange: () => () => undefined,
    waitForSync: async () => undefined,
  };
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
