import { type NodeTopologies, readTopologies } from "../node-topologies.ts";
import type { Labels } from "../term.ts";

/** A node as the tables write it: `keys` absent means no CSINode, `null` the driver registered without keys, `labels` absent no Node. */
export interface TestNode {
  readonly labels?: Labels;
  readonly keys?: readonly string[] | null;
  readonly otherDriver?: readonly string[];
}

const testDriver = "com.example.csi/test-driver";

/** The cluster of these nodes. */
export function clusterOf(nodes: Readonly<Record<string, TestNode>>): NodeTopologies {
  const identity = (name: string) => ({ name, uid: name, resourceVersion: "1" });
  const nodeObjects = Object.entries(nodes).flatMap(([name, { labels }]) =>
    labels ? [{ metadata: { ...identity(name), labels: { ...labels } } }] : [],
  );
  const csiNodeObjects = Object.entries(nodes).flatMap(([name, { keys, otherDriver }]) => {
    if (keys === undefined && otherDriver === undefined) return [];
    const drivers = [
      ...(otherDriver ? [{ name: "other.example.com", topologyKeys: [...otherDriver] }] : []),
      ...(keys === undefined ? [] : [{ name: testDriver, topologyKeys: keys === null ? undefined : [...keys] }]),
    ];
    return [{ metadata: identity(name), spec: { drivers } }];
  });
  return readTopologies(testDriver, { csiNodes: reader(csiNodeObjects), nodes: reader(nodeObjects) });
}

function reader<P extends { readonly metadata: { readonly name: string } }>(objects: readonly P[]) {
  return { get: (name: string) => objects.find(({ metadata }) => metadata.name === name), list: () => [...objects] };
}
