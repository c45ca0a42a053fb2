import { describe, expect, test } from "bun:test";
import { mergePatch, Secret, type V1VolumeGroupSnapshotContent, VolumeGroupSnapshotClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import {
  beingCreated,
  className,
  type GroupContentParts,
  groupClass,
  groupContent,
  preProvisioned,
  secretName,
  secretNamespace,
} from "./testing/group-objects.ts";
import { type GroupWorld, startGroupWorld } from "./testing/group-world.ts";

const isMarked = ({ metadata }: V1VolumeGroupSnapshotContent) => metadata?.annotations?.[beingCreated] === "yes";
const errorOf = ({ status }: V1VolumeGroupSnapshotContent) => status?.error?.message ?? "";
const take = "failed to take group snapshot of the volumes [a b]: ";
const input = "failed to get input parameters to create group snapshot for group snapshot content data: ";
const checked = (cause: string) => `Failed to check and update group snapshot content: ${cause}`;
const created = (cause: string) => `Failed to create group snapshot: ${cause}`;
const warnings = (...causes: string[]) => [
  ...causes.map((cause) => `Warning GroupSnapshotCreationFailed: ${created(cause)}`),
  ...causes.map((cause) => `Warning GroupSnapshotContentCheckandUpdateFailed: ${checked(cause)}`),
];

/** Waits until the error is in the status as a later attempt words it. */
const untilFailed = (world: GroupWorld, cause: string) => world.until((content) => errorOf(content) === checked(cause));

describe("a driver that fails", () => {
  test("for good: two events, the error in the status, and no mark between the attempts", async () => {
    await using world = await startGroupWorld();
    world.driver.always("CreateVolumeGroupSnapshot", step.fail("Internal", 'no "space"'));
    await world.addContent();
    const cause = `${take}"rpc error: code = Internal desc = no \\"space\\""`;
    await untilFailed(world, cause);
    await world.driver.called("CreateVolumeGroupSnapshot", 5);
    await world.until((content) => !isMarked(content));
    await world.stop();
    const content = await world.content();
    expect(content.status).toEqual({ readyToUse: false, error: { time: expect.any(String), message: checked(cause) } });
    expect(await world.events()).toEqual(warnings(cause));
    expect((await world.requests()).filter((request) => request.includes("/status"))).toHaveLength(2);
    // Users of the namespace see it at their group snapshot.
    const { items } = await world.admin.list((await import("@csi-sidecars/kube")).Event, { namespace: "default" });
    const seen = items.filter(({ involvedObject }) => involvedObject.kind === "VolumeGroupSnapshot");
    expect(seen.map(({ message }) => message)).toEqual([created(cause), checked(cause)]);
  });

  test.each(["Canceled", "DeadlineExceeded", "Unavailable", "ResourceExhausted", "Aborted"] as const)(
    "with %s, which says nothing about what it did: the mark stays",
    async (code) => {
      await using world = await startGroupWorld();
      world.driver.always("CreateVolumeGroupSnapshot", step.fail(code, "wait"));
      await world.addContent();
      const { metadata } = await untilFailed(world, `${take}"rpc error: code = ${code} desc = wait"`);
      await world.stop();
      expect(metadata?.annotations).toEqual({ [beingCreated]: "yes" });
      expect(isMarked(await world.content())).toBeTrue();
      expect((await world.requests()).filter((request) => request === "patch volumegroupsnapshotcontents data")).toHaveLength(1);
    },
  );

  test("and recovers: the error goes, although the snapshot is not ready", async () => {
    await using world = await startGroupWorld({ driver: { snapshotsReady: false } });
    world.driver.script("CreateVolumeGroupSnapshot", step.fail("Internal"), step.fail("Internal"));
    await world.addContent();
    const { status } = await world.until(({ status }) => status?.volumeGroupSnapshotHandle);
    expect(status?.error).toBeUndefined();
    expect(status?.readyToUse).toBeFalse();
  });

  test("to look up a pre-provisioned group snapshot", async () => {
    await using world = await startGroupWorld();
    await world.addContent(preProvisioned("gone", ["s"]));
    const cause =
      'failed to list group snapshot for group snapshot content data: "rpc error: code = NotFound desc = group gone does not exist"';
    const { metadata } = await untilFailed(world, cause);
    await world.stop();
    expect(metadata?.annotations).toBeUndefined();
    expect(await world.events()).toEqual([`Warning GroupSnapshotContentCheckandUpdateFailed: ${checked(cause)}`]);
  });
});

describe("an answer that makes no sense", () => {
  const a = { snapshotId: "s-a", sourceVolumeId: "a" };
  const answers = [
    ["without a group snapshot", {}, "the driver answered without a group snapshot", false],
    ["without an id", { groupSnapshot: { snapshots: [a] } }, "the driver answered with a group snapshot without an id", false],
    [
      "without a member",
      { groupSnapshot: { groupSnapshotId: "g", snapshots: [a] } },
      'the driver answered without a snapshot of volume \\"b\\"',
      true,
    ],
  ] as const;
  test.each(answers)("%s: nothing of it is saved, and the next one is believed", async (_, answer, cause, keepsMark) => {
    await using world = await startGroupWorld();
    world.driver.always("CreateVolumeGroupSnapshot", step.reply(answer));
    await world.addContent();
    const { status } = await untilFailed(world, `${take}"${cause}"`);
    expect(status).toEqual({ readyToUse: false, error: expect.anything() });
    if (keepsMark) expect(isMarked(await world.content())).toBeTrue();
    else await world.until((content) => !isMarked(content));
    world.driver.always("CreateVolumeGroupSnapshot", step.act);
    await world.until(({ status }) => status?.readyToUse);
    await world.until((content) => !isMarked(content));
  });

  test.each(["Delete", "Retain"] as const)("with wrong members keeps nobody from deleting the group: %s", async (deletionPolicy) => {
    await using world = await startGroupWorld();
    const snapshots = [a, { snapshotId: "s-other", sourceVolumeId: "other" }, { snapshotId: "", sourceVolumeId: "b" }];
    world.driver.always("CreateVolumeGroupSnapshot", step.reply({ groupSnapshot: { groupSnapshotId: "g", snapshots } }));
    world.driver.always("DeleteVolumeGroupSnapshot", step.reply({}));
    await world.addContent(groupContent({ spec: { deletionPolicy } }));
    await world.until(({ status }) => status?.error?.message?.includes("which is not in the group"));
    await world.deleteContent();
    await world.untilGone();
    const deletions = world.driver.calls("DeleteVolumeGroupSnapshot").map(({ request }) => request);
    const deletion = { groupSnapshotId: "g", snapshotIds: ["s-a", "s-other"], secrets: {} };
    expect(deletions).toEqual(deletionPolicy === "Delete" ? [deletion] : []);
  });

  test("another group than before: what is known stays", async () => {
    await using world = await startGroupWorld({ driver: { snapshotsReady: false } });
    await world.addContent();
    const before = await world.until(({ status }) => status?.volumeGroupSnapshotHandle);
    const snapshots = ["a", "b"].map((id) => ({ snapshotId: `other-${id}`, sourceVolumeId: id }));
    world.driver.always(
      "CreateVolumeGroupSnapshot",
      step.reply({ groupSnapshot: { groupSnapshotId: "other", snapshots, readyToUse: true } }),
    );
    const known = before.status?.volumeGroupSnapshotHandle;
    const { status } = await untilFailed(world, `${take}"the driver answered with group snapshot \\"other\\" instead of \\"${known}\\""`);
    expect(status).toEqual({ ...before.status!, error: expect.anything() });
  });

  test("about a pre-provisioned group snapshot", async () => {
    await using world = await startGroupWorld();
    world.driver.always("GetVolumeGroupSnapshot", step.reply({ groupSnapshot: { groupSnapshotId: "other", readyToUse: true } }));
    await world.addContent(preProvisioned("g", ["s"]));
    await untilFailed(
      world,
      'failed to list group snapshot for group snapshot content data: "the driver answered with group snapshot \\"other\\" instead of \\"g\\""',
    );
  });
});

describe("the driver is not called", () => {
  const named = { annotations: { [secretName]: "keys", [secretNamespace]: "default" } };
  const { volumeGroupSnapshotClassName: _, ...classless } = groupContent().spec!;
  const unbound = { volumeGroupSnapshotRef: { namespace: "default", name: "group" } };
  const missing = 'volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "gone" not found';
  const quoted = JSON.stringify;

  test.each<[string, GroupContentParts, string]>([
    ["without a class", { spec: { volumeGroupSnapshotClassName: "gone" } }, input + quoted(missing)],
    [
      "for a secret without a name",
      { metadata: { annotations: { [secretName]: "", [secretNamespace]: "" } } },
      input + quoted('cannot retrieve secrets for group snapshot content "data", err: secret name or namespace not specified'),
    ],
    ["without the secret", { metadata: named }, input + quoted('cannot get credentials for group snapshot content "data"')],
    [
      "for a content that is not bound",
      { spec: unbound },
      take + quoted("cannot create group snapshot. Group snapshot content data not bound to a group snapshot"),
    ],
  ])("%s", async (_what, parts, cause) => {
    await using world = await startGroupWorld();
    await world.addContent(groupContent(parts));
    const content = await untilFailed(world, cause);
    await world.stop();
    expect(isMarked(content)).toBeFalse();
    expect(world.asked()).toEqual([]);
    expect(await world.events()).toEqual(warnings(cause));
  });

  test("where no class is named", async () => {
    await using world = await startGroupWorld();
    await world.addContent({ ...groupContent(), spec: classless });
    await untilFailed(world, input + quoted("failed to take group snapshot data without a group snapshot class"));
  });

  test("with a parameter that is not known", async () => {
    await using world = await startGroupWorld({ class: groupClass({ "csi.storage.k8s.io/other": "x" }) });
    await world.addContent();
    const found = 'found unknown parameter key "csi.storage.k8s.io/other" with reserved namespace csi.storage.k8s.io/';
    const content = await untilFailed(world, `failed to remove CSI Parameters of prefixed keys: ${found}`);
    expect(isMarked(content)).toBeFalse();
    expect(world.asked()).toEqual([]);
  });

  const reference = { "csi.storage.k8s.io/group-snapshotter-get-secret-name": "keys" };
  const complete = { ...reference, "csi.storage.k8s.io/group-snapshotter-get-secret-namespace": "default" };
  test.each<[string, Record<string, string>, readonly string[], Partial<NonNullable<V1VolumeGroupSnapshotContent["spec"]>>, string]>([
    [
      "without the class of a pre-provisioned content",
      {},
      ["s"],
      { volumeGroupSnapshotClassName: "gone" },
      `failed to get group snapshot class gone for group snapshot content data: ${missing}`,
    ],
    [
      "with half a reference to a secret",
      reference,
      ["s"],
      { volumeGroupSnapshotClassName: className },
      "failed to get secret reference for group snapshot content data: failed to get name and namespace template from params: " +
        "either name and namespace for GroupSnapshotterGet secrets specified, Both must be specified",
    ],
    [
      "without the secret of the class",
      complete,
      ["s"],
      { volumeGroupSnapshotClassName: className },
      "failed to get credentials for group snapshot content data: error getting secret keys in namespace default: " +
        'secrets "keys" not found',
    ],
    ["for no snapshots", {}, [], {}, "cannot list group snapshot data. No snapshots found in the group snapshot content"],
  ])("%s", async (_what, parameters, snapshots, spec, cause) => {
    await using world = await startGroupWorld({ class: groupClass(parameters) });
    await world.addContent(preProvisioned("g", snapshots, { spec }));
    await untilFailed(world, cause);
    expect(world.driver.calls("GetVolumeGroupSnapshot")).toEqual([]);
  });
});

describe("a content that waits", () => {
  // Only what happens meanwhile can end the wait.
  const flags = { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 };

  test("for its class is taken when that is created", async () => {
    await using world = await startGroupWorld({ class: null, flags });
    await world.addContent();
    await world.untilEvent("GroupSnapshotCreationFailed");
    await world.create(VolumeGroupSnapshotClass, groupClass());
    await world.until(({ status }) => status?.readyToUse);
    expect(world.asked()).toHaveLength(1);
  });

  test("for a class of ours is taken when another driver's class is replaced", async () => {
    await using world = await startGroupWorld({ class: { ...groupClass(), driver: "other.example.com" }, flags });
    await world.addContent();
    await world.admin.delete(VolumeGroupSnapshotClass, { name: className });
    await world.create(VolumeGroupSnapshotClass, groupClass());
    await world.until(({ status }) => status?.readyToUse);
  });

  test("for its class is taken, or looked up, when that is corrected", async () => {
    const parameters = { "csi.storage.k8s.io/colour": "red", "csi.storage.k8s.io/group-snapshotter-get-secret-name": "x" };
    await using world = await startGroupWorld({ class: groupClass(parameters), flags });
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent();
    const named = preProvisioned(id, snapshotIds, { metadata: { name: "named" }, spec: { volumeGroupSnapshotClassName: className } });
    await world.addContent(named);
    await world.untilEvent("found unknown parameter key");
    await world.untilEvent("Both must be specified", "named");
    await world.admin.patch(VolumeGroupSnapshotClass, { name: className }, mergePatch({ parameters: null }));
    await world.until(({ status }) => status?.readyToUse);
    await world.until(({ status }) => status?.readyToUse, "named");
  });

  test("for its secret is taken by the retry", async () => {
    await using world = await startGroupWorld();
    await world.addContent(groupContent({ metadata: { annotations: { [secretName]: "keys", [secretNamespace]: "default" } } }));
    await world.untilEvent("cannot get credentials");
    await world.create(Secret, { metadata: { namespace: "default", name: "keys" }, data: { user: btoa("admin") } });
    await world.until(({ status }) => status?.readyToUse);
    expect(world.asked().map(({ secrets }) => secrets)).toEqual([{ user: "admin" }]);
  });
});
