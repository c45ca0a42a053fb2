import { afterAll, describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { startApiServer } from "../apiserver/api-server.ts";
import { Connections } from "../cluster/connections.ts";
import { stopSharedClusters } from "../cluster/start-cluster.ts";
import { startStorageControllers } from "./storage-controllers.ts";
import { creating, inDefault } from "./testing/manifests.ts";
import { startStorageCluster } from "./testing/storage-cluster.ts";

afterAll(stopSharedClusters);

test("claims that race for volumes get one each", async () => {
  await using cluster = await startStorageCluster();
  const create = creating(cluster);
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(numbers.flatMap((i) => [create.volume(`v${i}`, "manual"), create.claim(`c${i}`, "manual")]));
  const claims = await Promise.all(
    numbers.map((i) => cluster.until(PersistentVolumeClaim, inDefault(`c${i}`), (it) => it.status?.phase === "Bound")),
  );
  expect(new Set(claims.map((claim) => claim.spec?.volumeName)).size).toBe(20);
  for (const claim of claims) {
    const volume = await cluster.client.get(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
    expect(volume.spec?.claimRef?.uid).toBe(claim.metadata?.uid ?? "");
  }
});

describe("on an embedded server", () => {
  test("the work goes on after the server was away", async () => {
    await using server = await startApiServer();
    using connections = new DisposableStack();
    const open = connections.adopt(new Connections((token) => server.kubeconfig({ token })), (it) => it.close());
    const client = open.client(server.adminToken, "admin");
    const stop = new AbortController();
    const controllers = await startStorageControllers({ client: open.client(server.adminToken, "controllers"), signal: stop.signal });
    await creating({ client }).volume("v1", "manual");
    await server.stop("abrupt");
    await server.start();
    // A connection that was cut is noticed by the next request, and only one that may be repeated is.
    await client.get(PersistentVolume, { name: "v1" });
    await creating({ client }).claim("c1", "manual");
    await until("the claim is bound", async () => (await client.get(PersistentVolumeClaim, inDefault("c1"))).status?.phase === "Bound");
    stop.abort();
    await controllers.done;
  }, 30_000);

  test("a controller started alone does its own work only, and nothing after its stop", async () => {
    await using server = await startApiServer();
    using connections = new DisposableStack();
    const open = connections.adopt(new Connections((token) => server.kubeconfig({ token })), (it) => it.close());
    const client = open.client(server.adminToken, "admin");
    const stop = new AbortController();
    const controllers = await startStorageControllers({ client, signal: stop.signal, only: ["binder"] });
    const phase = async (name: string) => (await client.get(PersistentVolume, { name })).status?.phase;
    await until("four watches", () => server.openWatches === 4);
    await creating({ client }).volume("v1", "manual");
    await until("the volume to be available", async () => (await phase("v1")) === "Available");

    stop.abort();
    await controllers.done;
    await until("no watch", () => server.openWatches === 0);
    await creating({ client }).volume("v2", "manual");
    expect(await phase("v2")).toBe("Pending");
  });
});
