import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { parse } from "yaml";
import { startApiServer } from "./api-server.ts";
import { wire } from "./testing/wire.ts";

const maps = "/api/v1/namespaces/default/configmaps";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apiserver-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a stopped server", () => {
  test.each(["graceful", "abrupt"] as const)("comes back on its port with its data (%s)", async (how) => {
    await using server = await startApiServer();
    const admin = wire(server, { token: server.adminToken });
    const { metadata } = (await admin.post(maps, { metadata: { name: "a" } })).body;
    await using stream = await admin.watch(`${maps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const rest = stream.rest();
    const [end] = await Promise.all([
      rest.then(
        () => "ended",
        () => "broken",
      ),
      server.stop(how),
    ]);
    expect(end).toBe(how === "graceful" ? "ended" : "broken");
    await expect(admin.get(maps)).rejects.toThrow();
    await server.start();
    expect((await admin.get(`${maps}/a`)).body.metadata).toEqual(metadata);
    await using again = await admin.watch(`${maps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    await admin.delete(`${maps}/a`);
    expect((await again.next()).type).toBe("DELETED");
  });
});

describe("a data file", () => {
  test("carries the state to the next server, which knows nothing older", async () => {
    const dataFile = join(folder, "state.json");
    let version = "";
    {
      await using first = await startApiServer({ dataFile });
      const created = await wire(first, { token: first.adminToken }).post(maps, { metadata: { name: "a" }, data: { k: "v" } });
      version = created.body.metadata.resourceVersion;
    }
    await using second = await startApiServer({ dataFile });
    const admin = wire(second, { token: second.adminToken });
    expect((await admin.get(`${maps}/a`)).body).toMatchObject({ metadata: { resourceVersion: version }, data: { k: "v" } });
    const next = (await admin.post(maps, { metadata: { name: "b" } })).body.metadata.resourceVersion;
    expect(Number(next)).toBeGreaterThan(Number(version));
    await using stream = await admin.watch(`${maps}?watch=1&resourceVersion=1`);
    expect((await stream.next()).object.reason).toBe("Expired");
  });

  test("keeps integers of 64 bits exactly", async () => {
    const dataFile = join(folder, "state.json");
    const path = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
    const name = "exact";
    const creationTime = 1_700_000_000_123_456_789n;
    {
      await using first = await startApiServer({ dataFile });
      first.seed([...snapshotDefinitions]);
      const spec = {
        deletionPolicy: "Delete",
        driver: "d",
        source: { volumeHandle: "v" },
        volumeSnapshotRef: { name: "s", namespace: "n" },
      };
      const admin = wire(first, { token: first.adminToken });
      const made = await admin.post(path, {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshotContent",
        metadata: { name },
        spec,
      });
      expect(made.code).toBe(201);
      expect((await admin.merge(`${path}/${name}/status`, { status: { creationTime } })).code).toBe(200);
    }
    await using second = await startApiServer({ dataFile });
    expect((await wire(second, { token: second.adminToken }).get(`${path}/${name}`)).body.status).toEqual({ creationTime });
  });

  test("that is none is named", async () => {
    const dataFile = join(folder, "state.json");
    writeFileSync(dataFile, "{}");
    await expect(startApiServer({ dataFile })).rejects.toThrow(`${dataFile} is not a snapshot of a test cluster`);
  });
});

test("authority and token of an earlier run keep its kubeconfig good", async () => {
  await using first = await startApiServer({ adminToken: "kept" });
  const kubeconfig = parse(first.kubeconfig({ token: "kept" }));
  await first.stop();
  await using second = await startApiServer({ port: first.port, authority: first.authority, adminToken: "kept" });
  expect(second.url).toBe(kubeconfig.clusters[0].cluster.server);
  const caPem = atob(kubeconfig.clusters[0].cluster["certificate-authority-data"]);
  expect((await wire({ url: second.url, caPem }, { token: kubeconfig.users[0].user.token }).get("/api")).code).toBe(200);
});

test("seeding takes objects as they are", async () => {
  await using server = await startApiServer();
  const spec = { capacity: { storage: "1Gi" }, csi: { driver: "d", volumeHandle: "h" } };
  server.seed([
    { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv", uid: "mine" }, spec, status: { phase: "Bound" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "s", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a.b/c"] } },
  ]);
  const admin = wire(server, { token: server.adminToken });
  expect((await admin.get("/api/v1/persistentvolumes/pv")).body).toMatchObject({
    metadata: { uid: "mine" },
    spec,
    status: { phase: "Bound" },
  });
  expect((await admin.get("/api/v1/namespaces/default/secrets/s")).body.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
  expect(() => server.seed([{ apiVersion: "v9", kind: "Thing" }])).toThrow('apiVersion "v9" and kind "Thing"');
});
