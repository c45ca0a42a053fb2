import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { GrpcError, type NodePublishVolumeRequest, type NodeStageVolumeRequest } from "@csi-sidecars/csi";
import type { SimulatedShare } from "@csi-sidecars/csi-proxy/testing";
import { type DriverWorld, startWorld } from "./testing/driver-world.ts";

const share = "\\\\files.example.com\\Team";
const plugins = "C:\\var\\lib\\kubelet\\plugins\\kubernetes.io\\csi\\smb.example.com";
const staging = (volume: string) => `${plugins}\\${volume}\\globalmount`;
const pod = (name: string) => `C:\\var\\lib\\kubelet\\pods\\${name}\\volumes\\kubernetes.io~csi\\pv\\mount`;
const password = "S3cret-of-the-share";
const mount = { accessType: { $case: "mount" as const, mount: { fsType: "", mountFlags: [], volumeMountGroup: "" } } };

let world: DriverWorld;
let fileServer: SimulatedShare;
beforeEach(async () => {
  world = await startWorld();
  fileServer = world.host.shares.add(share, { username: "example\\user", password });
});
afterEach(() => world[Symbol.asyncDispose]());

function stage(volumeId: string, changed: Partial<NodeStageVolumeRequest> = {}) {
  return world.client.node.nodeStageVolume({
    ...{ volumeId, stagingTargetPath: staging(volumeId), volumeCapability: mount, volumeContext: { source: `${share}\\${volumeId}` } },
    secrets: { username: "user", domain: "example", password },
    ...changed,
  });
}

const unstage = (volumeId: string) => world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: staging(volumeId) });

function publish(volumeId: string, podName: string, changed: Partial<NodePublishVolumeRequest> = {}) {
  const paths = { stagingTargetPath: staging(volumeId), targetPath: pod(podName) };
  return world.client.node.nodePublishVolume({ volumeId, ...paths, volumeCapability: mount, ...changed });
}

const unpublish = (podName: string) => world.client.node.nodeUnpublishVolume({ volumeId: "a", targetPath: pod(podName) });

/** `NotFound: ...` of a call that fails. */
async function failure(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof GrpcError)) throw new Error(`expected a status, got ${String(error)}`);
  return `${error.codeName}: ${error.details}`;
}

describe("a volume", () => {
  test("is staged, published, unpublished and unstaged, each as often as kubelet likes", async () => {
    for (const _ of [1, 2]) await stage("a");
    expect(world.host.shares.mapping(share)).toMatchObject({ username: "example\\user", password, requirePrivacy: true });
    expect(await world.files.readlink(staging("a"))).toBe(`${share}\\a\\`);

    for (const _ of [1, 2]) await publish("a", "one");
    expect(await world.files.readlink(pod("one"))).toBe(staging("a"));

    for (const _ of [1, 2]) await unpublish("one");
    expect(await world.files.readlink(pod("one"))).toBeUndefined();

    for (const _ of [1, 2]) await unstage("a");
    expect(await world.files.readlink(staging("a"))).toBeUndefined();
    expect(world.host.shares.mapping(share)).toBeUndefined();
  });

  test("takes the place of the empty folders that kubelet makes", async () => {
    await world.client.node.nodeUnstageVolume({ volumeId: "b", stagingTargetPath: staging("b") });
    await Bun.write(`${world.folder}/drives/C/var/lib/kubelet/plugins/kubernetes.io/csi/smb.example.com/b/globalmount/data`, "precious");
    expect(await failure(stage("b"))).toContain("ENOTEMPTY");
    expect(world.host.shares.mapping(share)).toBeUndefined();
  });

  test("is not published while its share is away, and is once it is back", async () => {
    await stage("a");
    fileServer.isReachable = false;
    expect(await failure(publish("a", "one"))).toBe(`Unavailable: volume a: ${share}\\a\\ cannot be reached`);
    expect(await world.files.readlink(pod("one"))).toBeUndefined();
    fileServer.isReachable = true;
    await publish("a", "one");
    expect(await world.files.readlink(pod("one"))).toBe(staging("a"));
  });

  test("whose mapping was lost is staged again", async () => {
    await stage("a");
    world.host.shares.disconnect();
    await stage("a");
    expect(world.host.shares.mapping(share)?.status).toBe(0);
  });

  test("that was staged elsewhere is not changed behind the pods that use it", async () => {
    await stage("a");
    expect(await failure(stage("a", { volumeContext: { source: `${share}\\other` } }))).toStartWith("AlreadyExists: ");
    expect(await world.files.readlink(staging("a"))).toBe(`${share}\\a\\`);
  });

  test("has paths as kubelet may write them", async () => {
    await stage("a", { stagingTargetPath: "/var/lib/kubelet/plugins/kubernetes.io/csi/smb.example.com/a/globalmount" });
    await publish("a", "one", { targetPath: "c:/var/lib/kubelet/pods/one/volumes/kubernetes.io~csi/pv/mount" });
    expect(await world.files.readlink(pod("one"))).toBe(staging("a"));
  });

  test("tells the space of its share", async () => {
    await stage("a");
    const { usage } = await world.client.node.nodeGetVolumeStats({ volumeId: "a", volumePath: staging("a") });
    expect(usage.map(({ total, used, available }) => total === used + available && total > 0n)).toEqual([true]);
  });
});

describe("a share", () => {
  test("stays mapped until its last volume is unstaged, whatever its case", async () => {
    await stage("a");
    await stage("b", { volumeContext: { source: `//FILES.example.com/team/b` } });
    await unstage("a");
    expect(world.host.shares.mapping(share)).toBeDefined();
    await unstage("b");
    expect(world.host.shares.mapping(share)).toBeUndefined();
  });

  test("whose mapping cannot be removed keeps its link, so that the next call finds it", async () => {
    await stage("a");
    world.host.failNext("smb.removeMapping", { message: "the server is busy" });
    expect(await failure(unstage("a"))).toContain("the server is busy");
    expect(await world.files.readlink(staging("a"))).toBeDefined();
    await unstage("a");
    expect(world.host.shares.mapping(share)).toBeUndefined();
  });

  test("staged and unstaged at the same time is mapped exactly while a volume uses it", async () => {
    await stage("a");
    await Promise.all([unstage("a"), stage("b"), stage("c"), unstage("a")]);
    expect(world.host.shares.mapping(share)).toBeDefined();
    await Promise.all([unstage("b"), unstage("c")]);
    expect(world.host.shares.mapping(share)).toBeUndefined();
  });
});

describe("refused", () => {
  test.each([
    ["a volume without a source", { volumeContext: {} }, 'InvalidArgument: the volume attribute source="" is no share'],
    ["a path for a source", { volumeContext: { source: "C:\\data" } }, "InvalidArgument: "],
    ["a source that leaves its folder", { volumeContext: { source: `${share}\\a\\..\\b` } }, "InvalidArgument: "],
    ["a server without a share", { volumeContext: { source: "\\\\server" } }, "InvalidArgument: remote path (\\\\server) is invalid"],
    ["a block volume", { volumeCapability: { accessType: { $case: "block" as const, block: {} } } }, "InvalidArgument: volume_capability"],
    ["no volume", { volumeId: "" }, "InvalidArgument: volume_id missing in request"],
    ["no path", { stagingTargetPath: "" }, "InvalidArgument: staging_target_path missing in request"],
    ["a path with a wildcard", { stagingTargetPath: "C:\\a*\\b" }, "InvalidArgument: path contains invalid characters"],
  ])("%s", async (_, changed, status) => {
    expect(await failure(stage("a", changed as Partial<NodeStageVolumeRequest>))).toStartWith(status);
    expect(world.host.calls.filter(({ op }) => op !== "smb.getMapping")).toEqual([]);
  });

  test("a volume that is published before it is staged", async () => {
    expect(await failure(publish("a", "one"))).toStartWith("FailedPrecondition: volume a is not staged");
  });

  test("to unpublish a folder with data in it", async () => {
    await Bun.write(`${world.folder}/drives/C/var/lib/kubelet/pods/one/volumes/kubernetes.io~csi/pv/mount/data`, "precious");
    expect(await failure(unpublish("one"))).toContain("ENOTEMPTY");
  });

  test("statistics of a path that is not there", async () => {
    expect(await failure(world.client.node.nodeGetVolumeStats({ volumeId: "a", volumePath: pod("none") }))).toStartWith("NotFound: ");
  });
});

test("no password is in a log or an error, whatever happens to the volume", async () => {
  await stage("a");
  await publish("a", "one");
  world.host.failNext("smb.newMapping", { message: `the password ${password} is wrong` });
  world.host.shares.disconnect();
  const errors = [await failure(stage("a")), await failure(stage("b", { secrets: { username: "user", password: `${password}-wrong` } }))];
  expect(errors[0]).toContain("***stripped***");
  await unpublish("one");
  await unstage("a");
  expect(`${errors}${world.log()}`).not.toContain(password);
  expect(world.log()).toContain("A call failed");
});
