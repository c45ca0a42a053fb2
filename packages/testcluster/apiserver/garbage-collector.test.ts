import { describe, expect, test } from "bun:test";
import { startApiServer } from "./api-server.ts";
import { wire } from "./testing/wire.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const background = { propagationPolicy: "Background" };

/** An owner, what belongs to it alone, and what belongs to another one too. */
async function family(finalizers: readonly string[] = []) {
  const server = await startApiServer({ garbageCollector: true });
  const admin = wire(server, { token: server.adminToken });
  const create = async (name: string, owners: readonly { name: string; uid: string }[] = []) => {
    const ownerReferences = owners.map((owner) => ({ apiVersion: "v1", kind: "ConfigMap", ...owner }));
    const { body } = await admin.post(maps, { metadata: { name, ownerReferences, ...(owners.length > 0 && { finalizers }) } });
    return { name, uid: body.metadata.uid };
  };
  const [owner, other] = [await create("owner"), await create("other")];
  await create("child", [owner]);
  await create("shared", [owner, other]);
  const present = async () => {
    const { body } = await admin.get(maps);
    return body.items.map(({ metadata }: { metadata: { name: string; ownerReferences?: unknown[]; deletionTimestamp?: string } }) =>
      [metadata.name, metadata.ownerReferences?.length ?? 0, ...(metadata.deletionTimestamp ? ["leaving"] : [])].join(" "),
    );
  };
  return { server, admin, present };
}

describe("with a garbage collector", () => {
  test("dependents go with their last owner", async () => {
    const { server, admin, present } = await family();
    await using _ = server;
    await admin.delete(`${maps}/owner`, background);
    expect(await present()).toEqual(["other 0", "shared 2"]);
    await admin.delete(`${maps}/other`, background);
    expect(await present()).toEqual([]);
  });

  test("orphans stay and forget their owner, who goes", async () => {
    const { server, admin, present } = await family();
    await using _ = server;
    await admin.delete(`${maps}/owner`, { propagationPolicy: "Orphan" });
    expect(await present()).toEqual(["child 0", "other 0", "shared 1"]);
  });

  test("in the foreground an owner waits for its dependents", async () => {
    const { server, admin, present } = await family(["example.com/hold"]);
    await using _ = server;
    await admin.delete(`${maps}/owner`, { propagationPolicy: "Foreground" });
    expect(await present()).toEqual(["child 1 leaving", "other 0", "owner 0 leaving", "shared 1"]);
    await admin.merge(`${maps}/child`, { metadata: { finalizers: null } });
    expect(await present()).toEqual(["other 0", "shared 1"]);
  });
});

test("without one, as without kube-controller-manager, finalizers wait for it", async () => {
  await using server = await startApiServer();
  const admin = wire(server, { token: server.adminToken });
  await admin.post(maps, { metadata: { name: "a" } });
  await admin.delete(`${maps}/a`, { propagationPolicy: "Orphan" });
  expect((await admin.get(`${maps}/a`)).body.metadata.finalizers).toEqual(["orphan"]);
});
