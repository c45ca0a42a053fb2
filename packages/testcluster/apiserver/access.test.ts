import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Wire, wire } from "./testing/wire.ts";

let server: ApiServer;
let other: ApiServer;
let admin: Wire;
beforeAll(async () => {
  [server, other] = await Promise.all([startApiServer(), startApiServer()]);
  admin = wire(server, { token: server.adminToken });
});
afterAll(async () => {
  await Promise.all([server[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
});

const whoami = async (client: Wire) => (await client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})).body.status?.userInfo;
const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("who is asking", () => {
  test("a token names a user and groups", async () => {
    const bob = wire(server, { token: server.addUser("bob", ["devs"]) });
    expect(await whoami(bob)).toEqual({ username: "bob", groups: ["devs", "system:authenticated"] });
    const unknown = wire(server, { token: "expired" });
    expect((await unknown.get("/version")).body).toMatchObject({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  });

  test("a client certificate names them too", async () => {
    const alice = wire(server, await server.issueClientCertificate("alice", ["devs", "ops"]));
    expect(await whoami(alice)).toEqual({ username: "alice", groups: ["devs", "ops", "system:authenticated"] });
    const master = wire(server, await server.issueClientCertificate("root", ["system:masters"]));
    expect((await master.get("/api/v1/secrets")).code).toBe(200);
  });

  test("a certificate of another authority is refused", async () => {
    const stranger = wire(server, await other.issueClientCertificate("alice", ["system:masters"]));
    expect((await stranger.get("/version")).code).toBe(401);
  });

  test("a token counts before a certificate", async () => {
    const answer = await fetch(`${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: "POST",
      body: "{}",
      headers: { Authorization: `Bearer ${server.addUser("carol")}` },
      tls: { ca: server.caPem, ...(await certificate("alice")) },
    });
    expect(await answer.json()).toMatchObject({ status: { userInfo: { username: "carol" } } });
  });

  test("the anonymous user may get health and version only", async () => {
    const anybody = wire(server, {});
    expect((await anybody.get("/healthz")).body).toBe("ok");
    expect((await anybody.get("/version")).body.gitVersion).toBe("v1.36.3");
    expect((await anybody.get("/api/v1/pods")).body.message).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });
});

const certificate = async (name: string) => {
  const { certPem, keyPem } = await server.issueClientCertificate(name);
  return { cert: certPem, key: keyPem };
};

describe("roles", () => {
  test("bind and unbind at once", async () => {
    const dave = wire(server, { token: server.addUser("dave") });
    const secrets = "/api/v1/namespaces/default/secrets";
    expect((await dave.get(secrets)).body.message).toBe(
      'secrets is forbidden: User "dave" cannot list resource "secrets" in API group "" in the namespace "default"',
    );
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] }];
    await admin.post(`${rbac}/namespaces/default/roles`, { metadata: { name: "reader" }, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "dave" }];
    await admin.post(`${rbac}/namespaces/default/rolebindings`, { metadata: { name: "reader" }, roleRef, subjects });
    expect((await dave.get(secrets)).code).toBe(200);
    expect((await dave.get("/api/v1/secrets")).code).toBe(403);
    expect((await dave.get(`${secrets}/x`)).code).toBe(403);
    await admin.delete(`${rbac}/namespaces/default/rolebindings/reader`);
    expect((await dave.get(secrets)).code).toBe(403);
  });

  test("are asked about by reviews", async () => {
    const erin = wire(server, { token: server.addUser("erin", ["viewers"]) });
    const spec = { resourceAttributes: { verb: "list", group: "storage.k8s.io", resource: "csinodes" } };
    const mayErin = async () => (await erin.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec })).body.status.allowed;
    expect(await mayErin()).toBe(false);
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: "v" }, rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["list"] }] });
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "viewers" }];
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "v" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "v" },
      subjects,
    });
    expect(await mayErin()).toBe(true);
    const about = { ...spec, user: "somebody", groups: ["viewers"] };
    expect((await admin.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec: about })).body.status.allowed).toBe(true);
    expect((await erin.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec: about })).code).toBe(403);
  });
});

test("discovery tells what is served", async () => {
  const groups = (await admin.get("/apis")).body.groups.map(({ name }: { name: string }) => name);
  expect(groups).toContain("storage.k8s.io");
  expect(groups).toContain("authorization.k8s.io");
  const { resources } = (await admin.get("/apis/storage.k8s.io/v1")).body;
  expect(resources.find(({ name }: { name: string }) => name === "storageclasses")).toMatchObject({
    kind: "StorageClass",
    namespaced: false,
    shortNames: ["sc"],
  });
  expect(resources.map(({ name }: { name: string }) => name)).toContain("volumeattachments/status");
  expect((await admin.get("/api/v1")).body.groupVersion).toBe("v1");
  expect((await admin.get("/apis/nothing.here/v1")).code).toBe(404);
});
