import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { type CsiProxy, createCsiProxy } from "./csi-proxy.ts";
import type { ObservedOperation } from "./powershell/observed-executor.ts";
import { inProcessClient } from "./server/in-process-client.ts";
import { FolderPaths, SimulatedHost } from "./testing/index.ts";

const gibibyte = 2n ** 30n;
const kubelet = "C:\\var\\lib\\kubelet";
const staging = `${kubelet}\\plugins\\kubernetes.io\\csi\\driver\\1234\\globalmount`;
const pod = `${kubelet}\\pods\\5678\\volumes\\kubernetes.io~csi\\pvc-1`;

let root = "";
let host: SimulatedHost;
let proxy: CsiProxy;
let observed: ObservedOperation[];
const log = recordingLogger();
/** The folder on this machine that stands for a path of Windows. */
const local = (path: string) => join(root, path.replace(":", "").replaceAll("\\", "/"));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "csi-proxy-"));
  host = new SimulatedHost({ paths: new FolderPaths(root) });
  observed = [];
  log.lines.length = 0;
  proxy = createCsiProxy({ executor: host, hostRoot: root, observer: (operation) => observed.push(operation), log });
  mkdirSync(local(win32.dirname(pod)), { recursive: true });
});
afterEach(async () => {
  await proxy.close();
  rmSync(root, { recursive: true, force: true });
});

async function stageDisk(): Promise<{ diskNumber: number; volumeId: string }> {
  const { disk, volume, filesystem } = proxy;
  const { diskIds } = await disk.listDiskIds();
  const [diskNumber = -1] = [...diskIds].find(([, { page83 }]) => page83 === "vol-1") ?? [];
  if (!(await filesystem.pathExists({ path: staging })).exists) await filesystem.mkdir({ path: staging });
  await expect(volume.getVolumeIdFromTargetPath({ targetPath: staging })).rejects.toThrow("not a mounted folder");
  await disk.partitionDisk({ diskNumber });
  await disk.setDiskState({ diskNumber, isOnline: true });
  const [volumeId = ""] = (await volume.listVolumesOnDisk({ diskNumber, partitionNumber: 0 })).volumeIds;
  if (!(await volume.isVolumeFormatted({ volumeId })).formatted) await volume.formatVolume({ volumeId });
  await volume.mountVolume({ volumeId, targetPath: staging });
  return { diskNumber, volumeId };
}

async function publish(): Promise<void> {
  const { filesystem } = proxy;
  if ((await filesystem.pathExists({ path: pod })).exists) await filesystem.rmdir({ path: pod, force: true });
  await filesystem.createSymlink({ sourcePath: staging, targetPath: pod });
}

describe("on a simulated host, a volume on a disk", () => {
  beforeEach(() => host.disks.attach({ size: 4n * gibibyte, page83: "vol-1" }));

  test("is staged, published, grown, unpublished and unstaged", async () => {
    const { disk, volume, filesystem } = proxy;
    const { diskNumber, volumeId } = await stageDisk();
    expect(await volume.getVolumeIdFromTargetPath({ targetPath: staging })).toEqual({ volumeId });
    expect(await filesystem.isSymlink({ path: staging })).toEqual({ isSymlink: true });

    mkdirSync(local(`${pod}\\made by kubelet`), { recursive: true });
    await publish();
    expect(await filesystem.isSymlink({ path: pod })).toEqual({ isSymlink: true });
    expect(await volume.getVolumeIdFromTargetPath({ targetPath: pod })).toEqual({ volumeId });

    host.disks.grow(diskNumber, 8n * gibibyte);
    await disk.rescan();
    expect(await volume.resizeVolume({ volumeId, sizeBytes: 0n })).toEqual({ resized: true });
    const { totalBytes } = await disk.getDiskStats({ diskNumber });
    expect(totalBytes - (await volume.getVolumeStats({ volumeId })).totalBytes).toBeLessThan(100n * 2n ** 20n);

    await filesystem.rmdir({ path: pod, force: true });
    expect(existsSync(local(pod))).toBe(false);
    expect(await volume.getVolumeIdFromTargetPath({ targetPath: staging })).toEqual({ volumeId });

    await volume.unmountVolume({ volumeId, targetPath: staging });
    await filesystem.rmdir({ path: staging, force: true });
    const numbers = await volume.getDiskNumberFromVolumeId({ volumeId });
    await disk.setDiskState({ diskNumber: numbers.diskNumber, isOnline: false });
    expect(existsSync(local(staging))).toBe(false);
    expect(await disk.getDiskState({ diskNumber })).toEqual({ isOnline: false });
    expect(host.volumes.flushed).toEqual([volumeId]);
  });

  test("keeps its data when the mount point is removed", async () => {
    const { filesystem } = proxy;
    await stageDisk();
    writeFileSync(local(`${staging}\\precious`), "data");
    await publish();
    await expect(filesystem.rmdir({ path: staging, force: true })).rejects.toMatchObject({ code: "FailedPrecondition" });
    await filesystem.rmdir({ path: pod, force: true });
    expect(readFileSync(local(`${staging}\\precious`), "utf8")).toBe("data");
  });

  test("keeps its data when a directory with a link to it is removed", async () => {
    await stageDisk();
    writeFileSync(local(`${staging}\\precious`), "data");
    await publish();
    await proxy.filesystem.rmdirContents({ path: `${kubelet}\\pods` });
    expect(readdirSync(local(`${kubelet}\\pods`))).toEqual([]);
    await proxy.filesystem.mkdir({ path: win32.dirname(pod) });
    await publish();
    await proxy.filesystem.rmdir({ path: `${kubelet}\\pods`, force: true });
    expect(existsSync(local(`${kubelet}\\pods`))).toBe(false);
    expect(readFileSync(local(`${staging}\\precious`), "utf8")).toBe("data");
  });
});

describe("on a simulated host, a share", () => {
  const remotePath = "//FileServer/Share/Sub/Folder";
  const share = "\\\\fileserver\\share";
  const user = { username: "domain\\user", password: "swordfish" };

  async function stageShare(password = user.password): Promise<void> {
    const parent = win32.dirname(staging);
    if (!(await proxy.filesystem.pathExists({ path: parent })).exists) await proxy.filesystem.mkdir({ path: parent });
    await proxy.smb.newSmbGlobalMapping({ remotePath, localPath: staging, ...user, password });
  }

  test("is staged twice, published, unpublished and unstaged", async () => {
    const { filesystem, smb } = proxy;
    host.shares.add(share, user);
    await stageShare();
    expect(host.shares.mapping(share)).toEqual({ ...user, requirePrivacy: true, status: 0 });
    expect(readlinkSync(local(staging))).toBe("\\\\FileServer\\Share\\Sub\\Folder\\");

    host.calls.length = 0;
    await stageShare();
    expect(host.operations).toEqual(["smb.getMapping", "fs.testPath"]);

    mkdirSync(local(pod), { recursive: true });
    await publish();
    expect(lstatSync(local(pod)).isSymbolicLink()).toBe(true);
    await filesystem.rmdir({ path: pod, force: true });

    await smb.removeSmbGlobalMapping({ remotePath: readlinkSync(local(staging)) });
    await filesystem.rmdir({ path: staging, force: true });
    expect(host.shares.mapping(share)).toBeUndefined();
    expect(existsSync(local(staging))).toBe(false);
    await expect(smb.removeSmbGlobalMapping({ remotePath })).rejects.toMatchObject({
      code: "NotFound",
      message: expect.stringMatching(/error remove smb mapping '\\\\fileserver\\share'.*not found/),
    });
  });

  test("is mapped anew after the node was away, and after its password has changed", async () => {
    const offered = host.shares.add(share, user);
    await stageShare();
    host.shares.disconnect();
    await stageShare();
    expect(host.shares.mapping(share)?.status).toBe(0);

    offered.password = "a new one";
    await stageShare("a new one");
    expect(host.shares.mapping(share)).toMatchObject({ password: "a new one", status: 0 });
  });

  test("is not staged with a wrong password, which is told nobody", async () => {
    host.shares.add(share, user);
    const call = stageShare("guessed secret");
    await expect(call).rejects.toMatchObject({ code: "Internal", wmi: { code: 1326 } });
    expect(existsSync(local(staging))).toBe(false);
    const logged = JSON.stringify([log.lines.map((line) => ({ ...line, error: String(line.error) })), observed]);
    expect(logged).toContain("NewSmbGlobalMapping");
    expect(logged).not.toMatch(/guessed|domain/);
  });

  test("may be used without privacy", async () => {
    host.shares.add(share, user);
    const { smb } = createCsiProxy({ executor: host, hostRoot: root, requirePrivacy: false });
    await smb.newSmbGlobalMapping({ remotePath, ...user });
    expect(host.shares.mapping(share)?.requirePrivacy).toBe(false);
  });
});

describe("on a simulated host, a target", () => {
  const iqn = "iqn.2026-11.example:one";
  const targetPortal = { targetAddress: "10.0.0.1", targetPort: 0 };
  const chap = { chapUsername: "initiator", chapSecret: "secret of twelve" };
  const mutualChapSecret = "another secret";

  test("is discovered, connected, partitioned and disconnected", async () => {
    const { iscsi, system, disk, volume } = proxy;
    host.services.add({ name: "MSiSCSI", polls: 0 });
    host.targets.offer("10.0.0.1", 3260, [{ iqn, disk: { size: gibibyte }, ...chap, mutualChapSecret }]);
    await system.startService({ name: "MSiSCSI" });
    await iscsi.addTargetPortal({ targetPortal });
    expect(await iscsi.listTargetPortals()).toEqual({ targetPortals: [{ targetAddress: "10.0.0.1", targetPort: 3260 }] });
    expect(await iscsi.discoverTargetPortal({ targetPortal })).toEqual({ iqns: [iqn] });

    const login = { targetPortal, iqn, authType: 2, ...chap };
    await expect(iscsi.connectTarget({ ...login, authType: 0 })).rejects.toMatchObject({ wmi: { code: 24 } });
    await expect(iscsi.connectTarget({ ...login, chapSecret: "wrong" })).rejects.toMatchObject({ wmi: { code: 24 } });
    await expect(iscsi.connectTarget(login)).rejects.toMatchObject({ wmi: { code: 24 } });
    await iscsi.setMutualChapSecret({ mutualChapSecret });
    await iscsi.connectTarget(login);
    await iscsi.connectTarget(login);

    const { diskIds } = await iscsi.getTargetDisks({ targetPortal, iqn });
    expect(diskIds).toEqual(["0"]);
    const diskNumber = Number(diskIds[0]);
    await disk.partitionDisk({ diskNumber });
    await disk.setDiskState({ diskNumber, isOnline: true });
    expect((await volume.listVolumesOnDisk({ diskNumber })).volumeIds.length).toBe(1);

    await iscsi.disconnectTarget({ targetPortal, iqn });
    await iscsi.disconnectTarget({ targetPortal, iqn });
    expect(await iscsi.getTargetDisks({ targetPortal, iqn })).toEqual({ diskIds: [] });
    expect((await disk.listDiskLocations()).diskLocations.size).toBe(0);
    await iscsi.removeTargetPortal({ targetPortal });
    await expect(iscsi.removeTargetPortal({ targetPortal })).rejects.toMatchObject({ code: "NotFound" });
  });
});

test("code written for the v1 API finds its methods", async () => {
  const { number } = host.disks.attach({ size: gibibyte });
  expect(await inProcessClient("disk", "v1", proxy).GetDiskStats({ disk_number: number })).toMatchObject({ total_bytes: gibibyte });
  await inProcessClient("filesystem", "v1", proxy).Mkdir({ path: staging });
  expect(await inProcessClient("filesystem", "v1beta1", proxy).PathExists({ path: staging })).toMatchObject({ exists: true });
});

test("the observer is told of every operation", async () => {
  host.disks.attach({ size: gibibyte });
  await proxy.disk.getDiskState({ diskNumber: 0 });
  await expect(proxy.smb.removeSmbGlobalMapping({ remotePath: "\\\\host\\share" })).rejects.toThrow("not found");
  expect(observed.map(({ op, ok, code }) => ({ op, ok, code }))).toEqual([
    { op: "disk.list", ok: true, code: "OK" },
    { op: "smb.removeMapping", ok: false, code: "NotFound" },
  ]);
});

test("without Windows and without a stand-in for it only calls fail", async () => {
  const proxy = createCsiProxy();
  try {
    await expect(proxy.filesystem.mkdir({ path: "C:\\data" })).rejects.toThrow(/^--dev-host-root is required on this platform$/);
    const call = proxy.disk.getDiskState({ diskNumber: 0 });
    await expect(call).rejects.toMatchObject({ code: "Unavailable", message: expect.stringContaining("powershell could not be started") });
  } finally {
    await proxy.close();
  }
});
