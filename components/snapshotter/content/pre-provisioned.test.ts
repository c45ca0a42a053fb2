import { describe, expect, test } from "bun:test";
import { mergePatch, Secret, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { type ContentWorld, getting, listing, snapshotting, startWorld } from "./testing/content-world.ts";
import { groupHandle, preProvisioned, secretName, secretNamespace, snapshotClass } from "./testing/objects.ts";

/** Has a snapshot in the storage that nobody else knows. Its id is returned. */
async function stored(world: ContentWorld): Promise<string> {
  await world.witness();
  const [snapshot] = world.driver.snapshots.values();
  return snapshot?.id ?? "";
}

const unclassed = { volumeSnapshotClassName: undefined };
const listSecret = {
  "csi.storage.k8s.io/snapshotter-list-secret-name": `$\{volumesnapshotcontent.name}-creds`,
  "csi.storage.k8s.io/snapshotter-list-secret-namespace": "default",
};
const secret = (name: string, value: string) => ({ metadata: { namespace: "default", name }, data: { key: btoa(value) } });

describe("a content of a snapshot that an administrator has named", () => {
  test.each([
    ["ListSnapshots", listing],
    ["GetSnapshot", getting],
  ] as const)("is looked up with %s: one call, one request", async (method, capabilities) => {
    await using world = await startWorld({ driver: { capabilities } });
    const id = await stored(world);
    await world.addContent({ spec: preProvisioned(id, unclassed) });
    const { status } = await world.untilReady();
    const snapshot = world.driver.snapshots.get(id);
    expect(status).toMatchObject({ snapshotHandle: id, readyToUse: true, restoreSize: Number(snapshot?.sizeBytes) });
    await world.stop();
    expect(world.driver.calls(method).map(({ request }) => request)).toMatchObject([{ snapshotId: id, secrets: {} }]);
    expect((await world.requests()).filter((request) => request.endsWith("data"))).toEqual(["patch volumesnapshotcontents/status data"]);
    expect(await world.refused()).toEqual([]);
  });

  test("is believed to be there by a driver that cannot be asked", async () => {
    await using world = await startWorld({ driver: { capabilities: snapshotting } });
    await world.addContent({ spec: preProvisioned("s-1") });
    const { status } = await world.untilReady();
    expect([status?.snapshotHandle, status?.restoreSize, BigInt(status?.creationTime ?? 0) > 10n ** 18n]).toEqual(["s-1", undefined, true]);
  });

  test("the right one is found in an answer with others, on whichever page", async () => {
    await using world = await startWorld();
    const entry = (snapshotId: string) => ({
      snapshot: { snapshotId, sourceVolumeId: "v", sizeBytes: 1n, readyToUse: true, groupSnapshotId: "" },
    });
    world.driver.script(
      "ListSnapshots",
      step.reply({ entries: [entry("other"), { snapshot: undefined }], nextToken: "2" }) as never,
      step.reply({ entries: [entry("more"), entry("s-1")], nextToken: "3" }) as never,
    );
    await world.addContent({ spec: preProvisioned("s-1", unclassed) });
    await world.untilReady();
    expect(world.driver.calls("ListSnapshots").map(({ request }) => request.startingToken)).toEqual(["", "2"]);
  });

  test("is not there: told, once, and found later", async () => {
    await using world = await startWorld();
    await world.addContent({ spec: preProvisioned("s-1", unclassed) });
    await world.driver.called("ListSnapshots", 3);
    const text =
      'Failed to check and update snapshot content: failed to list snapshot for content data: "can not find snapshot for snapshotID s-1"';
    expect(await world.events()).toEqual([`Warning SnapshotContentCheckandUpdateFailed: ${text}`]);
    expect((await world.content()).status).toMatchObject({ readyToUse: false, error: { message: text } });
    expect((await world.requests()).filter((request) => request.includes("/status"))).toHaveLength(1);
  });

  test("the same page again and again: not found", async () => {
    await using world = await startWorld();
    world.driver.always("ListSnapshots", step.reply({ entries: [], nextToken: "x" }) as never);
    await world.addContent({ spec: preProvisioned("s-1", unclassed) });
    await world.untilEvent("can not find snapshot for snapshotID s-1");
  });

  test("gets the secret that its class names for it", async () => {
    await using world = await startWorld();
    await world.create(VolumeSnapshotClass, snapshotClass(listSecret, "secretive"));
    const id = await stored(world);
    await world.addContent({ spec: preProvisioned(id, { volumeSnapshotClassName: "secretive" }) });
    await world.untilEvent(
      'failed to get credentials for snapshot content data: error getting secret data-creds in namespace default: secrets "data-creds" not found',
    );
    await world.create(Secret, secret("data-creds", "v"));
    expect((await world.untilReady()).status?.error).toBeUndefined();
    expect(world.driver.calls("ListSnapshots").at(-1)?.request.secrets).toEqual({ key: "v" });
  });

  test.each<[string, Record<string, string> | undefined, string]>([
    [
      "missing",
      undefined,
      'failed to get snapshot class odd for snapshot content data: volumesnapshotclass.snapshot.storage.k8s.io "odd" not found',
    ],
    ["with half a secret", { "csi.storage.k8s.io/snapshotter-list-secret-name": "x" }, "failed to get secret reference for snapshot content data: failed to get name and namespace template from params: either name and namespace for SnapshotterList secrets specified, Both must be specified"], // biome-ignore format: a table
    ["with an empty one", { "csi.storage.k8s.io/snapshotter-list-secret-name": "x", "csi.storage.k8s.io/snapshotter-list-secret-namespace": "" }, "failed to get secret reference for snapshot content data: failed to get name and namespace template from params: SnapshotterList secrets specified in parameters but value of either namespace or name is empty"], // biome-ignore format: a table
  ])("a class that is %s: told", async (_, parameters, text) => {
    await using world = await startWorld();
    if (parameters) await world.create(VolumeSnapshotClass, snapshotClass(parameters, "odd"));
    await world.addContent({ spec: preProvisioned("s-1", { volumeSnapshotClassName: "odd" }) });
    await world.untilEvent(`Warning SnapshotContentCheckandUpdateFailed: Failed to check and update snapshot content: ${text}`);
    expect(world.driver.calls("ListSnapshots")).toEqual([]);
  });

  test("its class is corrected: looked up at once, whatever the backoff is", async () => {
    await using world = await startWorld({ flags: { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 } });
    await world.create(VolumeSnapshotClass, snapshotClass({ "csi.storage.k8s.io/snapshotter-list-secret-name": "x" }, "odd"));
    const id = await stored(world);
    await world.addContent({ spec: preProvisioned(id, { volumeSnapshotClassName: "odd" }) });
    await world.untilEvent("Both must be specified");
    await world.admin.patch(VolumeSnapshotClass, { name: "odd" }, mergePatch({ parameters: null }));
    await world.untilReady();
  });

  test("is not bound and not deleted: it is left alone when it is ready", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addContent({
      spec: preProvisioned("s-1", { volumeSnapshotRef: { namespace: "default", name: "s" } }),
      status: { snapshotHandle: "s-1", readyToUse: true },
    });
    await world.run();
    await world.witness();
    await world.stop();
    expect((await world.requests()).filter((request) => request.endsWith("data"))).toEqual([]);
  });
});

describe("a content of a group", () => {
  const member = {
    metadata: { annotations: { [groupHandle]: "g-1", [secretName]: "creds", [secretNamespace]: "default" } },
    spec: unclassed,
  };

  test("is looked up with the secret of its annotations, until it is ready", async () => {
    await using world = await startWorld();
    await world.create(Secret, secret("creds", "v"));
    const id = await stored(world);
    world.driver.script(
      "ListSnapshots",
      step.reply({
        entries: [{ snapshot: { snapshotId: id, sourceVolumeId: "v", sizeBytes: 0n, readyToUse: false, groupSnapshotId: "g-1" } }],
        nextToken: "",
      }) as never,
    );
    await world.addContent({ ...member, status: { snapshotHandle: id, volumeGroupSnapshotHandle: "g-1", readyToUse: false } });
    await world.untilReady();
    expect(world.driver.calls("ListSnapshots").map(({ request }) => request.secrets)).toEqual([{ key: "v" }, { key: "v" }]);
  });

  test("that was ready, and is set back by upstream's snapshot-controller, is looked up again", async () => {
    await using world = await startWorld({ flags: { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 } });
    const id = await stored(world);
    const status = { snapshotHandle: id, volumeGroupSnapshotHandle: "g-1", readyToUse: false };
    await world.addContent({ metadata: { annotations: { [groupHandle]: "g-1" } }, spec: unclassed, status });
    await world.untilReady();
    await world.patchStatus({ readyToUse: false });
    await world.untilReady();
    expect(world.driver.calls("ListSnapshots")).toHaveLength(2);
  });

  test("whose secret is missing: told", async () => {
    await using world = await startWorld();
    await world.addContent({ ...member, status: { snapshotHandle: "s-1", volumeGroupSnapshotHandle: "g-1", readyToUse: false } });
    await world.untilEvent(
      'failed to get credentials from annotation for snapshot content data: cannot get credentials for snapshot content "data"',
    );
  });
});
