import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, isForbidden, loadConfig, PersistentVolume, StatusError, TransportError, userAgent } from "@csi-sidecars/kube";
import { type Cluster, startApiServer, startCluster } from "@csi-sidecars/testcluster";
import { clientOf, clientOver } from "./testing/client-of.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

function clientWith(kubeconfig: string, files: Readonly<Record<string, string>> = {}) {
  const read = (path: string) => files[path] ?? kubeconfig;
  const config = loadConfig({ kubeconfig: "/kubeconfig", env: {}, files: { read } });
  const transport = connect(config, { userAgent: userAgent({ name: "test", version: "v0" }), files: { read } });
  return { client: clientOver(transport), [Symbol.dispose]: () => transport.close() };
}
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => new Error("it worked"),
    (error: unknown) => error,
  );

test("an unknown token is reported as Unauthorized", async () => {
  const error = await errorOf(clientOf(cluster, "expired").list(PersistentVolume));
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({ message: "Unauthorized", status: { code: 401, reason: "Unauthorized" } });
});

test("an error without permission names the missing permission", async () => {
  const { name, token } = cluster.newUser();
  const error = await errorOf(clientOf(cluster, token).list(PersistentVolume));
  expect(isForbidden(error)).toBe(true);
  expect(String(error)).toBe(
    `persistentvolumes is forbidden: User "${name}" cannot list resource "persistentvolumes" in API group "" at the cluster scope`,
  );
});

test("a server certificate of another CA is refused; the error names the field to correct", async () => {
  await using stranger = await startApiServer();
  const ca = (pem: string) => Buffer.from(pem).toString("base64");
  const kubeconfig = cluster.kubeconfig(cluster.adminToken);
  const wrong = kubeconfig.replace(ca(cluster.caPem), ca(stranger.caPem));
  expect(wrong).not.toBe(kubeconfig);
  using world = clientWith(wrong);
  const error = await errorOf(world.client.list(PersistentVolume));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ kind: "tls" });
  expect(String(error)).toContain("certificate-authority-data");
  expect(String(error)).not.toContain(cluster.adminToken);
});

test("a refused connection is reported with the address", async () => {
  using world = clientWith(cluster.kubeconfig(cluster.adminToken).replace(cluster.url, "https://127.0.0.1:1"));
  const error = await errorOf(world.client.list(PersistentVolume));
  expect(error).toMatchObject({ kind: "refused" });
  expect(String(error)).toContain("https://127.0.0.1:1");
});

test("a renewed token file is read again when the server refuses the old token", async () => {
  const files: Record<string, string> = { "/token": "expired" };
  const kubeconfig = cluster
    .kubeconfig("TOKEN")
    .replace(/"?token"?: "?TOKEN"?/, (found) => found.replace(/token/, "tokenFile").replace("TOKEN", "/token"));
  using world = clientWith(kubeconfig, files);
  expect(await errorOf(world.client.list(PersistentVolume))).toMatchObject({ status: { code: 401 } });
  files["/token"] = cluster.adminToken;
  expect((await world.client.list(PersistentVolume)).items).toEqual([]);
});
