import { afterAll, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { startCluster, stopSharedClusters } from "../../cluster/start-cluster.ts";
import { creating, inDefault } from "../testing/manifests.ts";
import * as cached from "../testing/objects.ts";
import { NodeExpander } from "./node-expander.ts";

afterAll(stopSharedClusters);

test("a resizer that repeats an infeasible size does not make the node repeat it at once", async () => {
  await using cluster = await startCluster();
  const { admin: client } = cluster;
  const clock = new FakeClock();
  const calls: string[] = [];
  const expander = new NodeExpander({
    client,
    clock,
    call: async ({ node, size }) => {
      calls.push(`${node} ${size}`);
      return { result: "infeasible", message: "no room" };
    },
    podEvents: { normal() {}, warning() {} },
    claimEvents: { normal() {}, warning() {} },
  });
  await creating({ client }).claim("data", "fast");
  const letNodeExpand = () => {
    const allocated = { allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage: "NodeResizePending" } };
    const status = { phase: "Bound", capacity: { storage: "1Gi" }, ...allocated };
    return client.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status }), { subresource: "status" });
  };
  const use = {
    pod: cached.pod(["data"]),
    node: "n1",
    claim: cached.claim({ status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
    volume: cached.volume({ spec: { capacity: { storage: "2Gi" } } }),
  };
  const attempt = () => expander.expandMounted(use, new AbortController().signal);

  await letNodeExpand();
  expect(await attempt()).toEqual({ failure: "no room", waitMs: 500 });
  await letNodeExpand();
  await clock.advance(200);
  expect(await attempt()).toEqual({ waitMs: 300 });
  await clock.advance(300);
  expect(await attempt()).toEqual({ failure: "no room", waitMs: 1000 });
  await clock.advance(1000);
  expect(await attempt()).toBeUndefined();
  expect(calls).toEqual(["n1 2Gi", "n1 2Gi"]);
});
