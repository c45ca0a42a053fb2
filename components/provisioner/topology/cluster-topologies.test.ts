import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import { type Client, CSINode, InformerFactory, mergePatch, Node, type Resource, type View } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { clusterTopologies } from "./cluster-topologies.ts";
import { type CsiNodeTopology, csiNodeFields, type NodeLabels, nodeFields } from "./node-topologies.ts";
import { segmentsOf } from "./term.ts";

const driver = "driver.example.com";

/** Counts how often all objects are walked over. */
function counted<P extends CsiNodeTopology | NodeLabels>(view: View<P>): { readonly view: View<P>; walks: number } {
  const counter = {
    walks: 0,
    view: {
      ...view,
      list: (namespace?: string) => {
        counter.walks++;
        return view.list(namespace);
      },
    },
  };
  return counter;
}

const walked = "the nodes are walked over once for many calls, and again only after a change that matters";
test.each([
  ["streamed", true],
  ["plain", false],
])(`${walked} (%s lists)`, async (_, streaming) => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  const end = new AbortController();
  const log = recordingLogger();
  const asked = new Set<string>();
  const seen = <T>(verb: string, { plural, metadataOnly }: Resource, answer: T): T => {
    asked.add(`${verb} ${plural}${metadataOnly ? " without status" : ""}`);
    return answer;
  };
  const client: Pick<Client, "list" | "watch"> = {
    list: (kind, options) => seen("list", kind, admin.list(kind, options)),
    watch: (kind, options) => seen("watch", kind, admin.watch(kind, options)),
  };
  const informers = new InformerFactory({ client, clock: systemClock, log, freeze: true, streaming });
  const nodes = counted(informers.forFields(nodeFields));
  const csiNodes = counted(informers.forFields(csiNodeFields));
  const topologies = clusterTopologies(driver, csiNodes.view, nodes.view);
  for (const [name, zone] of [
    ["n1", "zone1"],
    ["n2", "zone2"],
  ] as const) {
    await admin.create(Node, { metadata: { name, labels: { zone } } });
    await admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driver, nodeID: name, topologyKeys: ["zone"] }] } });
  }
  try {
    let changes = 0;
    const forget = topologies.onChange(() => changes++);
    informers.start(end.signal);
    await topologies.waitForSync();
    await until("the changes", () => changes === 4);

    for (let claim = 0; claim < 1000; claim++) {
      expect(topologies.keySets()).toEqual([["zone"]]);
      expect(topologies.termsWith(["zone"])).toHaveLength(2);
      expect(topologies.driverTerms()).toHaveLength(2);
    }
    expect([nodes.walks, csiNodes.walks]).toEqual([1, 2]);

    await admin.patch(Node, { name: "n1" }, mergePatch({ metadata: { annotations: { beat: "1" }, labels: { other: "1" } } }));
    await admin.patch(Node, { name: "n1" }, mergePatch({ status: { phase: "Running" } }), { subresource: "status" });
    await admin.patch(CSINode, { name: "n1" }, mergePatch({ metadata: { annotations: { beat: "1" } } }));
    await admin.patch(Node, { name: "n2" }, mergePatch({ metadata: { labels: { zone: "zone3" } } }));
    await until("the changes", () => changes === 5);
    expect(topologies.termsWith(["zone"]).map(segmentsOf)).toEqual([{ zone: "zone1" }, { zone: "zone3" }]);

    expect(topologies.termsWith(["rack"])).toEqual([]);
    await admin.patch(Node, { name: "n2" }, mergePatch({ metadata: { labels: { rack: "r" } } }));
    await until("the changes", () => changes === 6);
    expect(topologies.termsWith(["rack"]).map(segmentsOf)).toEqual([{ rack: "r" }]);
    const before = topologies.driverTerms();

    await admin.patch(CSINode, { name: "n1" }, mergePatch({ spec: { drivers: [] } }));
    await until("the changes", () => changes === 7);
    expect(topologies.driverTerms()).not.toBe(before);
    expect(topologies.driverTerms().map(segmentsOf)).toEqual([{ zone: "zone3" }]);
    expect(topologies.driverOn("n1")).toEqual({ state: "not-registered" });

    forget();
    await admin.delete(Node, { name: "n2" });
    await until("the node to be gone", () => topologies.labelsOf("n2") === undefined && topologies.driverTerms().length === 0);
    expect(changes).toBe(7);
    const verbs = streaming ? ["watch"] : ["list", "watch"];
    expect([...asked].sort()).toEqual(verbs.flatMap((verb) => [`${verb} csinodes`, `${verb} nodes without status`]));
    expect(log.lines.filter(({ severity }) => severity === "error")).toEqual([]);
  } finally {
    end.abort();
  }
});
