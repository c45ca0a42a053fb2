import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { managedByLabel, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { installDefinitions, shortestResync, step, untilResynced } from "@csi-sidecars/testcluster";
import { creationRequests, isMarked, startWorld } from "./testing/content-world.ts";
import { preProvisioned, secretName, secretNamespace, snapshotClass } from "./testing/objects.ts";

/** What upstream publishes, in which the rule for secrets is commented out. */
const publishedRole = [
  { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "update", "patch"] },
  { apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshotclasses"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshotcontents"], verbs: ["get", "list", "watch", "update", "patch"] },
  { apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshotcontents/status"], verbs: ["update", "patch"] },
  { apiGroups: ["groupsnapshot.storage.k8s.io"], resources: ["volumegroupsnapshotclasses"], verbs: ["get", "list", "watch"] },
  {
    apiGroups: ["groupsnapshot.storage.k8s.io"],
    resources: ["volumegroupsnapshotcontents"],
    verbs: ["get", "list", "watch", "update", "patch"],
  },
  { apiGroups: ["groupsnapshot.storage.k8s.io"], resources: ["volumegroupsnapshotcontents/status"], verbs: ["update", "patch"] },
];

test("with upstream's published role: a snapshot is taken and deleted, and nothing refused", async () => {
  await using world = await startWorld({ role: publishedRole });
  await world.addContent();
  await world.untilReady();
  await world.abandon();
  await world.untilGone();
  await world.stop();
  expect(await world.refused()).toEqual([]);
});

test("with it secrets cannot be read: told; with the rule it goes on", async () => {
  await using world = await startWorld({ role: publishedRole });
  await world.addContent({ metadata: { annotations: { [secretName]: "creds", [secretNamespace]: "default" } } });
  await world.untilEvent("cannot get credentials for snapshot content");
  await world.admin.raw("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "creds" }, data: { key: btoa("v") } });
  await world.grant([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]);
  await world.untilReady();
});

test("the kinds are installed after the start: it says what it waits for, and begins", async () => {
  await using world = await startWorld({ definitions: false });
  await world.untilTrue(() => world.log.lines.some(({ message }) => message === "Waiting for CustomResourceDefinitions to be installed"));
  await installDefinitions(world.admin, snapshotDefinitions);
  await world.create(VolumeSnapshotClass, snapshotClass());
  await world.addContent();
  await world.untilReady();
  const wait = world.log.lines.find(({ message }) => message.startsWith("Waiting for Custom"));
  expect(wait?.fields.missing).toBe("volumesnapshotcontents.snapshot.storage.k8s.io,volumesnapshotclasses.snapshot.storage.k8s.io");
});

describe("with --node-deployment", () => {
  test("only the contents of the node are served, and only they are listed", async () => {
    await using world = await startWorld({ flags: { nodeDeployment: true }, env: { NODE_NAME: "node-1" } });
    await world.addContent({ name: "theirs", metadata: { labels: { [managedByLabel]: "node-2" } } });
    await world.addContent({ name: "nobodys" });
    await world.addContent({ metadata: { labels: { [managedByLabel]: "node-1" } } });
    await world.untilReady();
    // A label that comes later counts too.
    await world.patchContent({ metadata: { labels: { [managedByLabel]: "node-1" } } }, "nobodys");
    await world.untilReady("nobodys");
    await world.stop();
    expect(world.driver.calls("CreateSnapshot").map(({ request }) => request.sourceVolumeId)).toEqual(["vol-data", "vol-nobodys"]);
    expect((await world.content("theirs")).status).toBeUndefined();
  });
});

test("a resync calls no driver and writes nothing for contents that ask for nothing, nor for others before their time", async () => {
  const flags = { ...shortestResync, retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 };
  await using world = await startWorld({ flags, stopped: true });
  await world.addContent({ name: "named", spec: preProvisioned("s-1"), status: { snapshotHandle: "s-1", readyToUse: true } });
  await world.run();
  await world.addContent();
  await world.untilReady();
  world.driver.script("CreateSnapshot", step.fail("Internal"));
  await world.addContent({ name: "failed" });
  await world.until(({ status }) => status?.error, "failed");
  world.driver.settings.snapshotsReady = false;
  await world.addContent({ name: "slow" });
  await world.until(({ metadata, status }) => status?.readyToUse === false && !isMarked({ metadata }), "slow");
  await untilResynced(world, "csi-snapshotter-content");
  await world.stop();
  expect((await world.requests()).filter((request) => !/failed|slow/.test(request))).toEqual(creationRequests);
  expect(world.driver.calls("CreateSnapshot").map(({ request }) => request.sourceVolumeId)).toEqual(["vol-data", "vol-failed", "vol-slow"]);
});

test("a start among hundreds of contents asks for what is new, and calls and writes nothing for the others", async () => {
  await using world = await startWorld({ stopped: true });
  const status = { readyToUse: true, creationTime: 1_700_000_000_000_000_000n, restoreSize: 1 };
  const names = Array.from({ length: 300 }, (_, n) => `old-${n}`);
  await Promise.all(names.map((name) => world.addContent({ name, status: { ...status, snapshotHandle: name } })));
  await world.addContent();
  await world.run();
  await world.untilReady();
  await world.witness();
  await world.stop();
  expect(await world.requests()).toEqual([...creationRequests, ...creationRequests.map((request) => request.replace("data", "witness"))]);
  expect(world.driver.calls("CreateSnapshot").map(({ request }) => request.sourceVolumeId)).toEqual(["vol-data", "vol-witness"]);
});
