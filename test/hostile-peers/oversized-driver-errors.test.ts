import { expect, test } from "bun:test";
import { attacher } from "@csi-sidecars/attacher";
import { until } from "@csi-sidecars/base/testing";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { startCluster, startComponent, startScriptedDriver, step } from "@csi-sidecars/testcluster";
import { attachment, csiNode, driverName, volume } from "../../components/attacher/testing/objects.ts";
import { grpcHeaders, status } from "./testing/hostile-grpc-server.ts";
import { startInjectingRelay } from "./testing/injecting-relay.ts";

const otherVolume = volume({ metadata: { name: "pv2" }, csi: { volumeHandle: "handle2" } });
const otherAttachment = attachment({ metadata: { name: "va2" }, spec: { source: { persistentVolumeName: "pv2" } } });

test("a driver that sends an error text too long for HTTP/2, whatever it was told, keeps its sidecar: all calls in flight are made again", async () => {
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({
    name: driverName,
    volumes: ["handle1", "handle2"].map((id) => ({ id })),
    script: { ControllerPublishVolume: [step.hang, step.hang] },
  });
  const address = `${driver.address}.relay`;
  await using relay = await startInjectingRelay(driver.address, address);
  await cluster.admin.create(CSINode, csiNode());
  for (const object of [volume(), otherVolume]) await cluster.admin.create(PersistentVolume, object);
  await using run = await startComponent(attacher, {
    cluster,
    driver: { address, settings: driver.settings, kill: () => driver.kill(), start: () => driver.start() },
    flags: ["--loss-policy=exit", "--retry-interval-start=10ms", "--retry-interval-max=200ms"],
  });
  for (const object of [attachment(), otherAttachment]) await cluster.admin.create(VolumeAttachment, object);
  await until("two calls in flight", () => driver.calls("ControllerPublishVolume").length === 2);
  relay.inject((connection, id) => connection.headers(id, [...grpcHeaders, ...status("13", "x".repeat(70_000))], true));
  for (const name of ["va", "va2"])
    await until(`${name} is attached`, async () => (await cluster.admin.get(VolumeAttachment, { name })).status?.attached);
  expect(run.output()).toContain("header fields of more than 65536 bytes");
  expect([run.starts, driver.calls("ControllerPublishVolume").length]).toEqual([1, 4]);
  expect(await run.stop()).toBe(0);
});
