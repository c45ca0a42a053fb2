import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Capabilities, presets, runInProcess, startCluster, startScriptedDriver } from "@csi-sidecars/testcluster";
import { healthMonitor } from "./component.ts";
import { startWorld } from "./testing/health-world.ts";

type Rpcs = Capabilities["controller"];
const driverWith = (...controller: Rpcs): Capabilities => ({ ...presets.minimal, controller });

describe("the driver's capabilities decide how it is asked, and are asked for once", () => {
  test.each<[Rpcs, asked: "ListVolumes" | "ControllerGetVolume"]>([
    [["VOLUME_CONDITION", "LIST_VOLUMES"], "ListVolumes"],
    [["VOLUME_CONDITION", "LIST_VOLUMES", "GET_VOLUME"], "ListVolumes"],
    [["VOLUME_CONDITION", "GET_VOLUME"], "ControllerGetVolume"],
  ])("%p", async (rpcs, asked) => {
    await using world = await startWorld({ stopped: true, driver: { capabilities: driverWith(...rpcs) } });
    await world.addClaim();
    await world.run();
    await world.untilTrue(async () => {
      await world.clock.advance(2_000);
      return world.driver.calls(asked).length > 0;
    });
    const methods = new Set(world.driver.calls().map(({ method }) => method));
    expect(methods).toEqual(new Set(["Probe", "GetPluginInfo", "GetPluginCapabilities", "ControllerGetCapabilities", asked]));
    expect(world.driver.calls("ControllerGetCapabilities")).toHaveLength(1);
  });
});

describe("upstream's program ends when there is nothing to do for the driver", () => {
  const nothingToAsk = "CSI driver does not support Controller ListVolumes and GetVolume service or does not implement VolumeCondition";
  test.each<[string, Capabilities, string]>([
    ["no conditions", driverWith("LIST_VOLUMES", "GET_VOLUME"), nothingToAsk],
    ["no way to ask", driverWith("VOLUME_CONDITION"), nothingToAsk],
    ["nothing at all", driverWith(), nothingToAsk],
    ["no controller service", presets.nodeOnly, "CSI driver does not support Plugin Controller Service"],
  ])("%s", async (_, capabilities, message) => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ capabilities });
    const user = cluster.newUser();
    const folder = await mkdtemp(join(tmpdir(), "csi-health-"));
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => rm(folder, { recursive: true }));
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig(user.token));
    await using run = await runInProcess([healthMonitor], [`--kubeconfig=${kubeconfig}`, `--csi-address=${driver.address}`]);
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain(message);
    expect(await cluster.requests({ user: user.name })).toEqual([]);
  });
});
