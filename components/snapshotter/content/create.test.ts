import { describe, expect, test } from "bun:test";
import { mergePatch, Secret, snapshotAnnotation, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { creationRequests, isMarked, snapshotting, startWorld } from "./testing/content-world.ts";
import { className, finalizer, secretName, secretNamespace, snapshotClass, snapshotUid } from "./testing/objects.ts";

const secret = { metadata: { namespace: "default", name: "creds" }, data: { password: btoa("s3cret") } };
const namesSecret = { [secretName]: "creds", [secretNamespace]: "default" };

describe("a content of a volume", () => {
  test("gets a snapshot: one call, three requests, none refused", async () => {
    await using world = await startWorld({
      driver: { capabilities: snapshotting },
      parameters: { tier: "gold", "csi.storage.k8s.io/snapshotter-secret-name": "x" },
    });
    await world.addContent();
    const { metadata, status } = await world.untilReady();
    const [snapshot] = world.driver.snapshots.values();
    expect(status).toMatchObject({ snapshotHandle: snapshot!.id, readyToUse: true, restoreSize: Number(snapshot!.sizeBytes) });
    const { seconds, nanos } = snapshot!.creationTime;
    expect(BigInt(status!.creationTime!)).toBe(seconds * 1_000_000_000n + BigInt(nanos));
    expect([metadata?.annotations, metadata?.finalizers]).toEqual([undefined, [finalizer]]);
    await world.stop();
    expect(world.driver.calls("CreateSnapshot").map(({ request }) => request)).toEqual([
      { name: `snapshot-${snapshotUid}`, sourceVolumeId: "vol-data", parameters: { tier: "gold" }, secrets: {} },
    ]);
    expect(await world.requests()).toEqual(creationRequests);
    expect([await world.refused(), await world.events()]).toEqual([[], []]);
  });

  test("that was there before the start gets one too", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addContent();
    await world.run();
    await world.untilReady();
  });

  test("with --extra-create-metadata, a prefix and a short uid the driver is told more", async () => {
    const flags = { extraCreateMetadata: true, snapshotNamePrefix: "backup", snapshotNameUuidLength: 8 };
    await using world = await startWorld({ flags });
    await world.addContent();
    await world.untilReady();
    const request = world.driver.calls("CreateSnapshot")[0]?.request;
    expect(request).toMatchObject({
      name: "backup-0f8fad5b",
      parameters: {
        "csi.storage.k8s.io/volumesnapshot/name": "of-data",
        "csi.storage.k8s.io/volumesnapshot/namespace": "default",
        "csi.storage.k8s.io/volumesnapshotcontent/name": "data",
      },
    });
  });

  test("gets the secret that its annotations name, read for each call", async () => {
    await using world = await startWorld({ driver: { snapshotsReady: { afterAnswers: 1 } } });
    await world.create(Secret, secret);
    await world.addContent({ metadata: { annotations: namesSecret } });
    await world.untilReady();
    expect(world.driver.calls("CreateSnapshot").map(({ request }) => request.secrets)).toEqual([
      { password: "s3cret" },
      { password: "s3cret" },
    ]);
  });
});

describe("nothing is done for a content", () => {
  test.each([
    ["of another driver", { driver: "other.example.com" }],
    ["whose class is another driver's", { volumeSnapshotClassName: "foreign" }],
  ])("%s", async (_, spec) => {
    await using world = await startWorld();
    await world.create(VolumeSnapshotClass, { ...snapshotClass({}, "foreign"), driver: "other.example.com" });
    await world.addContent({ spec });
    await world.witness();
    const { status, metadata } = await world.content();
    expect([status, metadata?.annotations]).toEqual([undefined, undefined]);
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });

  test("of a group whose handles the snapshot-controller has yet to write; when it has, it is looked up", async () => {
    await using world = await startWorld();
    await world.addContent({
      metadata: { annotations: { [snapshotAnnotation.groupHandle]: "g-1" } },
      spec: { volumeSnapshotClassName: undefined },
    });
    await world.witness();
    expect((await world.content()).status).toBeUndefined();
    const [witness] = world.driver.snapshots.values();
    await world.patchStatus({ snapshotHandle: witness!.id, volumeGroupSnapshotHandle: "g-1", readyToUse: false });
    await world.untilReady();
    expect(world.driver.calls("ListSnapshots").map(({ request }) => request.snapshotId)).toEqual([witness!.id]);
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });
});

describe("what keeps a snapshot from being taken is told in status and event", () => {
  const input = (cause: string) => `failed to get input parameters to create snapshot for content data: ${JSON.stringify(cause)}`;

  test.each<[string, Parameters<Awaited<ReturnType<typeof startWorld>>["addContent"]>[0], string]>([
    ["a secret without a name", { metadata: { annotations: { ...namesSecret, [secretName]: "" } } }, input('cannot retrieve secrets for snapshot content "data", err: secret name or namespace not specified')], // biome-ignore format: a table
    ["a secret that is missing", { metadata: { annotations: namesSecret } }, input('cannot get credentials for snapshot content "data"')],
    [
      "a class that is missing",
      { spec: { volumeSnapshotClassName: "gone" } },
      input('volumesnapshotclass.snapshot.storage.k8s.io "gone" not found'),
    ],
    ["no class", { spec: { volumeSnapshotClassName: undefined } }, input("failed to take snapshot data without a snapshot class")],
    ["no snapshot", { spec: { volumeSnapshotRef: { namespace: "default", name: "s" } } }, `failed to take snapshot of the volume vol-data: ${JSON.stringify("cannot create snapshot. Snapshot content data not bound to a snapshot")}`], // biome-ignore format: a table
  ])("%s", async (_, parts, cause) => {
    await using world = await startWorld({ driver: { capabilities: snapshotting } });
    await world.addContent(parts);
    await world.untilEvent(`Warning SnapshotContentCheckandUpdateFailed: Failed to check and update snapshot content: ${cause}`);
    expect(await world.events()).toEqual([
      `Warning SnapshotCreationFailed: Failed to create snapshot: ${cause}`,
      `Warning SnapshotContentCheckandUpdateFailed: Failed to check and update snapshot content: ${cause}`,
    ]);
    const { status, metadata } = await world.content();
    expect([status?.readyToUse, status?.error?.message]).toEqual([false, `Failed to check and update snapshot content: ${cause}`]);
    expect(isMarked({ metadata })).toBe(false);
    expect(world.driver.calls("CreateSnapshot")).toEqual([]);
  });

  test("an unknown parameter of the class with the reserved prefix: not even marked", async () => {
    await using world = await startWorld({ parameters: { "csi.storage.k8s.io/colour": "red" } });
    await world.addContent();
    await world.untilEvent(
      'failed to remove CSI Parameters of prefixed keys: found unknown parameter key "csi.storage.k8s.io/colour" with reserved namespace csi.storage.k8s.io/',
    );
    expect(await world.requests()).not.toContain("patch volumesnapshotcontents data");
  });

  test("users of the namespace see it at the VolumeSnapshot", async () => {
    await using world = await startWorld({ driver: { script: { CreateSnapshot: [step.fail("Internal", "broken")] } } });
    await world.addContent();
    const seen = async () =>
      (await world.cluster.admin.raw<{ items: { involvedObject: object; message: string }[] }>("GET", "/api/v1/namespaces/default/events"))
        .items;
    await world.untilTrue(async () =>
      (await seen()).some(({ involvedObject }) => "kind" in involvedObject && involvedObject.kind === "VolumeSnapshot"),
    );
    const about = (await seen()).find(({ involvedObject }) => "kind" in involvedObject && involvedObject.kind === "VolumeSnapshot");
    expect(about?.involvedObject).toMatchObject({
      name: "of-data",
      namespace: "default",
      uid: snapshotUid,
      apiVersion: "snapshot.storage.k8s.io/v1",
    });
  });

  test("the class appears later: at once, whatever the backoff is", async () => {
    await using world = await startWorld({ parameters: null, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.addContent();
    await world.untilEvent("not found");
    await world.create(VolumeSnapshotClass, snapshotClass());
    expect((await world.untilReady()).status?.error).toBeUndefined();
  });

  test("the class is corrected: at once, whatever the backoff is", async () => {
    const parameters = { "csi.storage.k8s.io/colour": "red" };
    await using world = await startWorld({ parameters, flags: { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 } });
    await world.addContent();
    await world.untilEvent("found unknown parameter key");
    await world.admin.patch(VolumeSnapshotClass, { name: className }, mergePatch({ parameters: null }));
    await world.untilReady();
  });

  test("a class of another driver is replaced: at once", async () => {
    await using world = await startWorld();
    await world.create(VolumeSnapshotClass, { ...snapshotClass({}, "foreign"), driver: "other.example.com" });
    await world.addContent({ spec: { volumeSnapshotClassName: "foreign" } });
    await world.witness();
    await world.admin.delete(VolumeSnapshotClass, { name: "foreign" });
    await world.untilEvent('"foreign\\" not found');
    await world.create(VolumeSnapshotClass, snapshotClass({}, "foreign"));
    await world.untilReady();
  });
});

describe("the driver's error", () => {
  const told = (code: string) =>
    `failed to take snapshot of the volume vol-data: ${JSON.stringify(`rpc error: code = ${code} desc = scripted ${code}`)}`;

  test.each(["Internal", "InvalidArgument", "FailedPrecondition", "OutOfRange"] as const)(
    "%s is final: the mark goes, and it is told twice at most",
    async (code) => {
      await using world = await startWorld();
      world.driver.always("CreateSnapshot", step.fail(code));
      await world.addContent();
      await world.driver.called("CreateSnapshot", 4);
      await world.until((content) => !isMarked(content));
      await world.stop();
      expect(await world.events()).toEqual([
        `Warning SnapshotCreationFailed: Failed to create snapshot: ${told(code)}`,
        `Warning SnapshotContentCheckandUpdateFailed: Failed to check and update snapshot content: ${told(code)}`,
      ]);
      expect((await world.content()).status).toMatchObject({ readyToUse: false });
      expect((await world.requests()).filter((request) => request.includes("/status"))).toHaveLength(2);
    },
  );

  test.each(["Aborted", "Unavailable", "ResourceExhausted", "DeadlineExceeded", "Canceled"] as const)(
    "%s is not final: the mark stays until it is known",
    async (code) => {
      await using world = await startWorld();
      world.driver.script("CreateSnapshot", step.fail(code), step.fail(code), step.waitFor("go"));
      await world.addContent();
      await world.driver.called("CreateSnapshot", 3);
      expect(isMarked(await world.content())).toBe(true);
      world.driver.release("go");
      expect((await world.untilReady()).status?.error).toBeUndefined();
      await world.stop();
      // One mark, one removal.
      expect((await world.requests()).filter((request) => request === "patch volumesnapshotcontents data")).toHaveLength(2);
    },
  );

  test("a call that ends with its time limit: the same snapshot is asked for again", async () => {
    await using world = await startWorld({ flags: { timeout: 100 }, driver: { script: { CreateSnapshot: [step.hangAfter] } } });
    await world.addContent();
    await world.untilReady();
    expect(world.driver.snapshots.size).toBe(1);
    expect(new Set(world.driver.calls("CreateSnapshot").map(({ request }) => request.name)).size).toBe(1);
  });

  test("an answer that is lost is asked for again: one snapshot", async () => {
    await using world = await startWorld({ driver: { script: { CreateSnapshot: [step.lost] } } });
    await world.addContent();
    await world.untilReady();
    expect(world.driver.snapshots.size).toBe(1);
  });
});

describe("an answer that makes no sense", () => {
  test.each<[string, Parameters<typeof step.reply>[0], string]>([
    ["no snapshot", {}, "the driver answered without a snapshot"],
    [
      "no id",
      { snapshot: { snapshotId: "", sourceVolumeId: "vol-data", sizeBytes: 1n, readyToUse: true, groupSnapshotId: "" } },
      "the driver answered with a snapshot without an id",
    ],
  ])("%s: is told, and leaves no mark", async (_, answer, text) => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.reply(answer) as never);
    await world.addContent();
    await world.untilEvent(text);
    await world.untilReady();
  });

  test("another id than before: the first one stays", async () => {
    await using world = await startWorld({ driver: { snapshotsReady: false } });
    await world.addContent();
    const { status } = await world.until(({ status }) => status?.snapshotHandle);
    const other = { snapshot: { snapshotId: "other", sourceVolumeId: "vol-data", sizeBytes: 1n, readyToUse: true, groupSnapshotId: "" } };
    world.driver.script("CreateSnapshot", step.reply(other) as never);
    await world.untilEvent(`the driver answered with snapshot \\"other\\" instead of \\"${status?.snapshotHandle}\\"`);
    world.driver.finishSnapshots();
    expect((await world.untilReady()).status?.snapshotHandle).toBe(status!.snapshotHandle!);
  });

  test("no time, no size: now, and no size", async () => {
    await using world = await startWorld();
    const before = BigInt(Date.now()) * 1_000_000n;
    world.driver.script(
      "CreateSnapshot",
      step.reply({
        snapshot: { snapshotId: "s-1", sourceVolumeId: "vol-data", sizeBytes: 0n, readyToUse: true, groupSnapshotId: "" },
      }) as never,
    );
    await world.addContent();
    const { status } = await world.untilReady();
    expect([BigInt(status!.creationTime!) >= before, status?.restoreSize]).toEqual([true, undefined]);
  });

  test("less than no size: is told, and no size is stored", async () => {
    await using world = await startWorld();
    world.driver.script(
      "CreateSnapshot",
      step.reply({
        snapshot: { snapshotId: "s-1", sourceVolumeId: "vol-data", sizeBytes: -5n, readyToUse: true, groupSnapshotId: "" },
      }) as never,
    );
    await world.addContent();
    expect((await world.untilReady()).status?.restoreSize).toBeUndefined();
    await world.untilEvent("the driver answered that snapshot s-1 has a size of -5 bytes, which is ignored");
  });
});

test(`a content of class ${className} is taken while its own writes come back: no call more`, async () => {
  await using world = await startWorld();
  await world.addContent();
  await world.untilReady();
  await world.witness();
  expect(world.driver.calls("CreateSnapshot")).toHaveLength(2);
});
