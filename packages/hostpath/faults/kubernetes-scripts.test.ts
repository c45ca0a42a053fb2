import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { create, GiB, mount, named } from "../testing/requests.ts";
import type { FaultRule } from "./fault-rules.ts";

describe("what Kubernetes' own tests script", () => {
  const stage = { stagingTargetPath: "/s", volumeCapability: mount() };
  test.each<[string, FaultRule, string]>([
    [
      "a final error of NodeStageVolume",
      { method: "NodeStageVolume", times: 1, action: { error: { code: "InvalidArgument" } } },
      "InvalidArgument",
    ],
    [
      "a transient error of NodeStageVolume",
      { method: "NodeStageVolume", times: 1, action: { error: { code: "DeadlineExceeded" } } },
      "DeadlineExceeded",
    ],
  ])("%s, then success", async (_, rule, expected) => {
    await using world = await startWorld({ faults: [rule] });
    const volumeId = await create(world, named("a"));
    expect(await outcome(world.client.node.nodeStageVolume({ volumeId, ...stage }))).toStartWith(expected);
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/s" }))).toBe("OK");
    expect(await outcome(world.client.node.nodeStageVolume({ volumeId, ...stage }))).toBe("OK");
  });

  test("errors of each step, as often as they are asked for", async () => {
    const methods = ["NodeUnstageVolume", "CreateVolume", "CreateSnapshot", "DeleteSnapshot", "NodeExpandVolume", "ControllerExpandVolume"];
    await using world = await startWorld({
      faults: methods.map((method) => ({ method, times: 2, action: { error: { code: "ResourceExhausted" } } })),
    });
    const { controller, node } = world.client;
    const third = async (call: () => Promise<unknown>) => [await outcome(call()), await outcome(call()), await outcome(call())];
    const expected = ["ResourceExhausted: injected ResourceExhausted", "ResourceExhausted: injected ResourceExhausted", "OK"];
    expect(await third(() => controller.createVolume(named("a")))).toEqual(expected);
    const volumeId = world.driver.state.volumes[0]!.id;
    const capacityRange = { requiredBytes: 2n * GiB };
    const snapshot = { name: "s", sourceVolumeId: volumeId };
    const volumePath = `${world.stateDir}/${volumeId}`;
    expect(await third(() => controller.createSnapshot(snapshot))).toEqual(expected);
    const snapshotId = world.driver.state.snapshots[0]!.id;
    expect(await third(() => controller.deleteSnapshot({ snapshotId }))).toEqual(expected);
    expect(await third(() => controller.controllerExpandVolume({ volumeId, capacityRange }))).toEqual(expected);
    expect(await third(() => node.nodeExpandVolume({ volumeId, volumePath, capacityRange }))).toEqual(expected);
    expect(await third(() => node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/s" }))).toEqual(expected);
  });

  test("a limit of attached volumes that changes while the driver runs", async () => {
    await using world = await startWorld({ attach: true, attachLimit: 1n });
    const ids = [await create(world, named("a")), await create(world, named("b"))];
    const attach = (volumeId = "") =>
      outcome(world.client.controller.controllerPublishVolume({ volumeId, nodeId: "node-1", volumeCapability: mount() }));
    expect([await attach(ids[0]), await attach(ids[1])]).toEqual([
      "OK",
      "ResourceExhausted: node node-1 has reached its limit of 1 attached volumes",
    ]);
    world.driver.script.node.limit(2n);
    expect((await world.client.node.nodeGetInfo({})).maxVolumesPerNode).toBe(2n);
    expect(await attach(ids[1])).toBe("OK");
  });

  test("an infeasible expansion that a smaller one recovers from", async () => {
    await using world = await startWorld({ maxVolumeSize: 2n * GiB });
    const volumeId = await create(world, named("a"));
    const expand = (requiredBytes: bigint) =>
      outcome(world.client.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes } }));
    expect(await expand(3n * GiB)).toStartWith("OutOfRange");
    expect(await expand(2n * GiB)).toBe("OK");
  });

  test("an expansion and a modification whose answers are lost, and whose repetitions succeed", async () => {
    const lost = { phase: "after", times: 1, action: { error: { code: "DeadlineExceeded" } } } as const;
    await using world = await startWorld({
      modify: true,
      faults: [
        { method: "ControllerExpandVolume", ...lost },
        { method: "ControllerModifyVolume", ...lost },
      ],
    });
    const { controller } = world.client;
    const volumeId = await create(world, named("a"));
    const expand = () => outcome(controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * GiB } }));
    const modify = () => outcome(controller.controllerModifyVolume({ volumeId, mutableParameters: { iops: "9" } }));
    for (const call of [expand, modify]) expect(await call()).toStartWith("DeadlineExceeded");
    expect(world.driver.state.volumes).toMatchObject([{ size: 2n * GiB, mutableParameters: { iops: "9" } }]);
    for (const call of [expand, modify]) expect(await call()).toBe("OK");
  });

  test("a size and a value that are refused, and others that are not", async () => {
    const refused = { action: { error: { code: "InvalidArgument", message: "infeasible" } } } as const;
    await using world = await startWorld({
      modify: true,
      faults: [
        { method: "ControllerExpandVolume", match: { "capacity_range.required_bytes": String(3n * GiB) }, ...refused },
        { method: "ControllerModifyVolume", match: { "mutable_parameters.iops": "9" }, ...refused },
      ],
    });
    const { controller } = world.client;
    const volumeId = await create(world, named("a"));
    const expand = (requiredBytes: bigint) => outcome(controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes } }));
    const modify = (iops: string) => outcome(controller.controllerModifyVolume({ volumeId, mutableParameters: { iops } }));
    expect([await expand(3n * GiB), await expand(2n * GiB)]).toEqual(["InvalidArgument: infeasible", "OK"]);
    expect([await modify("9"), await modify("8")]).toEqual(["InvalidArgument: infeasible", "OK"]);
  });

  test("secrets that are missing, wrong and right, and never in a message or record", async () => {
    await using world = await startWorld({ secretsRequired: { CreateVolume: { secretKey: "secretval1" } } });
    const call = (secrets: Record<string, string>) => outcome(world.client.controller.createVolume({ ...named("a"), secrets }));
    expect(await call({})).toBe("InvalidArgument: secret must be provided");
    expect(await call({ secretKey: "wrong" })).toBe("Unauthenticated: authentication failed");
    expect(await call({ secretKey: "secretval1" })).toBe("OK");
    expect(JSON.stringify(world.driver.calls.since())).not.toMatch(/secretval1|wrong/);
  });

  test("a driver that is not ready yet", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({ clock });
    world.driver.script.probe.notReady({ calls: 2 });
    const ready = async () => (await world.client.identity.probe({})).ready;
    expect([await ready(), await ready(), await ready()]).toEqual([false, false, undefined]);
    world.driver.script.probe.notReady({ ms: 5_000 });
    expect(await ready()).toBe(false);
    await clock.advance(5_000);
    expect(await ready()).toBeUndefined();
  });
});
