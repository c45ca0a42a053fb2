import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CSIDriver, CSINode, Node, StorageClass, VolumeGroupSnapshotClass, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { type DriverProcess, type Preset, presets, type Script, startDriverProcess, step } from "@csi-sidecars/testcluster";
import { clientOf, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

const name = "own.example.com";
const startDriver = (preset: Preset): Promise<DriverProcess> =>
  startDriverProcess({ name, nodeId: "machine-7", capabilities: presets[preset] });

/** Where a playground that runs has put its kubeconfig. */
const kubeconfigIn = (output: string) => /KUBECONFIG=(\S+)/.exec(output)?.[1] ?? "";

describe("with the user's own driver the playground", () => {
  test.each<[Preset, number, string, string]>([
    ["full", 12, "VolumeAttachment to node-1 is attached", "the driver is empty"],
    ["minimal", 7, "this driver needs no attach", "the demo cannot check that it is empty at the end"],
  ])("runs the demo, and neither stops it nor touches its socket: %s", async (preset, steps, attached, end) => {
    await using driver = await startDriver(preset);
    const before = lstatSync(driver.address);
    const [code, output] = await world.run(["--demo", "--driver", driver.address]);
    expect([code, output]).toEqual([0, expect.stringContaining(`All ${steps} steps passed`)]);
    for (const part of [`Your driver ${name}`, "The demo does not kill your driver.", attached, end]) expect(output).toContain(part);
    const after = lstatSync(driver.address);
    expect([after.ino, after.mode, after.ctimeMs]).toEqual([before.ino, before.mode, before.ctimeMs]);
    expect(await driver.calls()).not.toEqual([]);
    expect(world.leftovers()).toEqual([]);
  });

  test("creates the objects that it needs, and runs what it can do", async () => {
    await using driver = await startDriver("full");
    const run = world.start(["--driver", driver.address]);
    await ready(run, 1);
    expect(run.output()).toContain(
      `driver    ${name} 1.0.0 at ${driver.address}, yours, StorageClass playground (default, WaitForFirstConsumer)`,
    );
    expect(run.output()).toContain(
      "--controllers=attacher,provisioner,resizer,snapshotter,health-monitor,volume-data-source-validator,livenessprobe --leader-election --enable-capacity",
    );
    using cluster = clientOf(kubeconfigIn(run.output()));
    const { client } = cluster;
    expect((await client.get(CSIDriver, { name })).spec).toMatchObject({ attachRequired: true, storageCapacity: true });
    const topologyKeys = ["topology.example.com/node"];
    expect((await client.get(CSINode, { name: "node-1" })).spec.drivers).toMatchObject([{ name, nodeID: "machine-7", topologyKeys }]);
    expect((await client.get(Node, { name: "node-1" })).metadata?.labels).toMatchObject({ "topology.example.com/node": "machine-7" });
    expect((await client.list(StorageClass)).items.map(({ provisioner }) => provisioner)).toEqual([name]);
    expect(run.output()).toContain("VolumeSnapshotClass and VolumeGroupSnapshotClass playground (default)");
    for (const kind of [VolumeSnapshotClass, VolumeGroupSnapshotClass])
      expect((await client.list(kind)).items.map(({ driver: of }) => of)).toEqual([name]);
    expect(await interrupt(run)).toBe(0);
  });

  test("runs only livenessprobe for a driver that provisions nothing, and refuses a demo with it", async () => {
    await using driver = await startDriver("nodeOnly");
    const run = world.start(["--driver", driver.address]);
    await ready(run, 1);
    expect(run.output()).toContain("which does not provision volumes (no CREATE_DELETE_VOLUME)");
    expect(run.output()).toContain("csi-sidecars --controllers=livenessprobe --leader-election\n");
    expect(run.output()).not.toContain("snapshot-controller");
    expect(await interrupt(run)).toBe(0);
    expect(await world.run(["--driver", driver.address, "--demo"])).toEqual([
      1,
      expect.stringContaining(`--demo needs a driver that provisions volumes: ${name} has no CREATE_DELETE_VOLUME\n`),
    ]);
  });

  test.each<[string, Script, string]>([
    ["no answer", { Probe: [step.hang] }, "did not answer Probe within 4 s"],
    ["an error", { NodeGetInfo: [step.fail("Internal", "no disks")] }, "failed NodeGetInfo: rpc error: code = Internal desc = no disks"],
  ])("reports which call gets %s", async (_, script, failure) => {
    await using driver = await startDriverProcess({ name, capabilities: presets.full, script });
    expect(await world.run(["--driver", driver.address])).toEqual([1, `playground: --driver: ${driver.address} ${failure}\n`]);
  });

  test("reports when it goes away, and continues when it is back", async () => {
    await using driver = await startDriver("attachable");
    const run = world.start(["--driver", driver.address]);
    await until("the driver to be named", () => run.output().includes(`driver ${name} answers`));
    await driver.stop();
    await until("its absence", () => run.output().includes(`driver ${name} does not answer`));
    await driver.start();
    await until("its return", () => run.output().split(`driver ${name} answers`).length > 2);
    expect(await interrupt(run)).toBe(0);
  });

  test("follows a driver that has changed between two runs of a kept cluster", async () => {
    const state = join(world.folder, "developed");
    const nodeOf = async (preset: Preset, nodeId: string) => {
      await using driver = await startDriverProcess({ name, nodeId, capabilities: presets[preset] });
      const run = world.start(["--driver", driver.address, "--state", state]);
      await ready(run, 1);
      using cluster = clientOf(kubeconfigIn(run.output()));
      const { attachRequired } = (await cluster.client.get(CSIDriver, { name })).spec;
      const { volumeBindingMode } = await cluster.client.get(StorageClass, { name: "playground" });
      const { nodeID } = (await cluster.client.get(CSINode, { name: "node-1" })).spec.drivers[0] ?? {};
      expect(await interrupt(run)).toBe(0);
      return { attachRequired, volumeBindingMode, nodeID };
    };
    expect(await nodeOf("minimal", "a")).toEqual({ attachRequired: false, volumeBindingMode: "Immediate", nodeID: "a" });
    expect(await nodeOf("full", "b")).toEqual({ attachRequired: true, volumeBindingMode: "WaitForFirstConsumer", nodeID: "b" });
  });

  test("keeps a state for that driver alone", async () => {
    const state = join(world.folder, "kept");
    const own = await startDriver("minimal");
    const run = world.start(["--driver", own.address, "--state", state]);
    await ready(run, 1);
    expect(await interrupt(run)).toBe(0);
    expect(await world.run(["--state", state])).toEqual([
      1,
      `playground: --state: the cluster in ${state} is for the driver ${name}: add --driver, or use another folder\n`,
    ]);
    await own[Symbol.asyncDispose]();
    await using other = await startDriverProcess({ name: "other.example.com" });
    expect(await world.run(["--driver", other.address, "--state", state])).toEqual([
      1,
      `playground: --state: the cluster in ${state} is for the driver ${name}, and other.example.com listens on ${other.address}\n`,
    ]);
  });
});
