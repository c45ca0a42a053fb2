import { describe, expect, test } from "bun:test";
import { type ApiResource, type ObjectMeta, Pod } from "@csi-sidecars/kube";
import { servedCapacityResource } from "./capacity-object.ts";
import { capacityEnvironment } from "./capacity-publisher.ts";
import { startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode, addObject, addWorkload, namespace } from "./testing/manifests.ts";

const ours = "fast zone=zone1 1Gi";

async function ownedWorld() {
  const world = await startWorld();
  await addClass(world.admin, "fast");
  await addNode(world.admin, "n1", { zone: "zone1" });
  return { world, uids: await addWorkload(world.admin), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describe("the owner of objects", () => {
  test.each([
    [0, "v1", "Pod", "provisioner", "pod"],
    [1, "apps/v1", "ReplicaSet", "set", "replicaSet"],
    [2, "apps/v1", "Deployment", "dep", "deployment"],
  ] as const)("at level %i is the %s %s", async (ownerLevel, apiVersion, kind, name, uid) => {
    await using given = await ownedWorld();
    const { world, uids } = given;
    await world.start({ ownerLevel, podName: "provisioner" });
    await world.untilObjects(ours);
    expect((await world.get(ours)).metadata?.ownerReferences).toEqual([{ apiVersion, kind, name, uid: uids[uid], controller: true }]);
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["create"]);
    expect(await world.refused()).toEqual([]);
  });

  test.each([
    ["the pod is missing", 0, "other", /look up owner\(s\) of pod: .*"other" not found/],
    ["nothing controls the pod", 1, "alone", /look up owner\(s\) of pod: v1 Pod default\/alone has no controlling owner/],
    ["the controller is missing", 2, "orphan", /look up owner\(s\) of pod: .*"gone" not found/],
    ["the controller was replaced", 2, "stranger", /ReplicaSet default\/set is not the one that controls stranger/],
    ["the controller may not be read", 2, "foreign", /statefulsets.* is forbidden/],
    ["the controller is of no kind that is served", 2, "odd", /Oddity of apps\/v1 is not served/],
  ] as const)("%s: nothing is published", async (_, ownerLevel, podName, message) => {
    await using given = await ownedWorld();
    const { world, uids } = given;
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", controller: true };
    const pod = async (name: string, ...ownerReferences: NonNullable<ObjectMeta["ownerReferences"]>) =>
      void (await world.admin.create(Pod, {
        metadata: { name, namespace, ownerReferences },
        spec: { containers: [{ name: "c", image: "i" }] },
      }));
    await pod("alone", { ...reference, name: "set", uid: uids.replicaSet, controller: false });
    await pod("orphan", { ...reference, name: "gone", uid: "u" });
    await pod("stranger", { ...reference, name: "set", uid: "u" });
    await pod("foreign", { ...reference, kind: "StatefulSet", name: "s", uid: "u" });
    await pod("odd", { ...reference, kind: "Oddity", name: "s", uid: "u" });
    await expect(world.start({ ownerLevel, podName })).rejects.toThrow(message);
    expect(await world.objects()).toEqual([]);
  });

  test("is added where it is missing, and takes the place of another controller", async () => {
    await using given = await ownedWorld();
    const { world, uids } = given;
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "config", uid: "c" };
    await addObject(world.admin, { owners: [reference, { ...reference, kind: "Pod", name: "before", uid: "b", controller: true }] });
    await world.start({ ownerLevel: 0, podName: "provisioner" });
    const owner = { apiVersion: "v1", kind: "Pod", name: "provisioner", uid: uids.pod, controller: true };
    await world.until(async () => (await world.get(ours)).metadata?.ownerReferences?.some(({ uid }) => uid === uids.pod));
    expect((await world.get(ours)).metadata?.ownerReferences).toEqual([reference, owner]);
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["patch"]);
  });

  test("is the new leader's pod after a change of leaders, level 0; the objects stay the same", async () => {
    await using given = await ownedWorld();
    const { world } = given;
    const next = await world.admin.create(Pod, {
      metadata: { name: "next", namespace },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const former = await world.start({ ownerLevel: 0, podName: "provisioner" });
    await world.untilObjects(ours);
    const { metadata: before } = await world.get(ours);
    await former.stop();
    await world.start({ ownerLevel: 0, podName: "next" });
    await world.until(async () => (await world.get(ours)).metadata?.ownerReferences?.[0]?.name === "next");
    const { metadata: after } = await world.get(ours);
    expect(after?.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Pod", name: "next", uid: next.metadata?.uid ?? "", controller: true },
    ]);
    expect(after?.uid).toBe(before?.uid ?? "");
    expect(await world.writes()).toEqual(["create", "patch"]);
  });

  test("stays where none is wanted", async () => {
    await using given = await ownedWorld();
    const { world, uids } = given;
    const owners = [{ apiVersion: "v1", kind: "Pod", name: "provisioner", uid: uids.pod, controller: true }];
    await addObject(world.admin, { owners });
    await world.start();
    await world.pollTwice(1);
    expect((await world.get(ours)).metadata?.ownerReferences).toEqual(owners);
    expect(await world.writes()).toEqual([]);
  });
});

describe("the version of the kind", () => {
  const capacity: ApiResource = { name: "csistoragecapacities", kind: "CSIStorageCapacity", namespaced: true, verbs: [] };
  const serving = (served: Readonly<Record<string, readonly ApiResource[]>>) =>
    servedCapacityResource({ discover: async (version: string) => served[version] }, "provisioner-enable-capacity");

  test.each([
    ["v1", { "storage.k8s.io/v1": [capacity], "storage.k8s.io/v1beta1": [capacity] }],
    ["v1beta1", { "storage.k8s.io/v1": [], "storage.k8s.io/v1beta1": [capacity] }],
    ["v1beta1", { "storage.k8s.io/v1beta1": [capacity] }],
  ])("is %s of %j", async (version, served) => {
    expect(await serving(served)).toMatchObject({ version, plural: "csistoragecapacities" });
  });

  test("is none: nothing can be published", async () => {
    await expect(serving({})).rejects.toThrow(/serves no CSIStorageCapacity.*: disable --provisioner-enable-capacity/);
  });
});

test("the environment must say where the objects go, and whose pod this is if it is to own them", () => {
  expect(capacityEnvironment({ NAMESPACE: "ns", POD_NAME: "p" }, 1)).toEqual({ namespace: "ns", podName: "p" });
  expect(capacityEnvironment({ NAMESPACE: "ns" }, -1)).toEqual({ namespace: "ns", podName: "" });
  expect(() => capacityEnvironment({ POD_NAME: "p" }, 1)).toThrow("need NAMESPACE env variable for CSIStorageCapacity objects");
  expect(() => capacityEnvironment({ NAMESPACE: "ns" }, 0)).toThrow("need POD_NAME env variable to determine CSIStorageCapacity owner");
});
