import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCsiProxy } from "@csi-sidecars/csi-proxy";
import { page83Descriptor, RecordedExecutor, type RecordedReply } from "@csi-sidecars/csi-proxy/testing";
import { NodeVolumes } from "./node-volumes.ts";

const path = "\\\\?\\scsi#disk&ven_msft#2";
const volumeId = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";
const disk = { number: 2, path, serialNumber: "vol-1", location: null, partitionStyle: 2, isOffline: true, size: "10737418240" };
const volume = { uniqueId: volumeId, fileSystemType: 0, size: "10720641024", sizeRemaining: "10720641024" };
const mountPoint = { exists: true, isReparsePoint: true, tag: 0xa0000003, target: volumeId };
const directory = { exists: true, isReparsePoint: false };

/** What Windows answers. The first reply that fits a call counts; `nth` is for the call that differs from the others. */
const answer = (op: string, data: unknown, when: Pick<RecordedReply, "params" | "nth"> = {}): RecordedReply => ({
  op,
  ...when,
  reply: { ok: true, data },
});
const executor = new RecordedExecutor([
  answer("fs.reparseInfo", directory, { nth: 1 }),
  answer("fs.reparseInfo", directory, { nth: 4 }),
  answer("fs.reparseInfo", mountPoint),
  answer("disk.list", [{ ...disk, isOffline: false }], { params: { disk_number: "2" }, nth: 3 }),
  answer("disk.list", [disk]),
  answer("disk.deviceIds", [{ path, deviceNumber: 2, descriptor: Buffer.from(page83Descriptor("vol-1")).toString("base64"), error: null }]),
  answer("disk.partitions", [{ partitionNumber: 2, gptType: "{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}", size: volume.size }]),
  answer("disk.setOnline", { returnValue: 0 }),
  answer("disk.rescan", null),
  answer("disk.refresh", { returnValue: 0 }),
  answer("volume.list", [{ partitionNumber: 2, uniqueId: volumeId }]),
  answer("volume.get", volume, { nth: 1 }),
  answer("volume.get", { ...volume, fileSystemType: 14, size: "21458059264", sizeRemaining: "21000000000" }),
  answer("volume.format", { returnValue: 0 }),
  answer("volume.addMountPoint", { win32: 0 }),
  answer("volume.partition", { diskNumber: 2, partitionNumber: 2, size: volume.size }),
  answer("volume.supportedSize", { returnValue: 0, sizeMin: "0", sizeMax: "21458059264" }),
  answer("volume.resize", { returnValue: 0 }),
  answer("volume.flush", { returnValue: 0 }),
  answer("volume.removeMountPoint", { win32: 0 }),
]);

const hostRoot = await mkdtemp(join(tmpdir(), "node-volumes-"));
const proxy = createCsiProxy({ executor, hostRoot });
const volumes = new NodeVolumes(proxy);
const staging = "C:\\var\\lib\\kubelet\\plugins\\kubernetes.io\\csi\\example\\1234\\globalmount";
const pod = "C:\\var\\lib\\kubelet\\pods\\5678";
try {
  await proxy.filesystem.mkdir({ path: pod });
  await volumes.stage("vol-1", staging);
  await volumes.publish(staging, `${pod}\\mount`);
  console.log(`grown to ${await volumes.expand(staging)} bytes`);
  await volumes.unpublish(`${pod}\\mount`);
  await volumes.unstage("vol-1", staging);
  for (const { op } of executor.calls) console.log(op);
} finally {
  await proxy.close();
  await rm(hostRoot, { recursive: true });
}
