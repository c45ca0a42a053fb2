import { describe, expect, test } from "bun:test";
import { type Capabilities, presets, type Script, step } from "@csi-sidecars/testcluster";
import { driverName } from "./testing/objects.ts";
import { startWorld } from "./testing/resizer-world.ts";

type Rpcs = Capabilities["controller"];
const driverWith = (controller: Rpcs, node: Capabilities["node"] = []): Capabilities => ({ ...presets.minimal, controller, node });
const noNodeService: Script = { NodeGetCapabilities: Array(100).fill(step.fail("Unimplemented", "unknown service csi.v1.Node")) };

describe("what a driver can do decides what is done for it", () => {
  test.each<[string, Capabilities, object, number]>([
    ["the controller expands", driverWith(["EXPAND_VOLUME"], ["EXPAND_VOLUME"]), { expansion: "controller", modifiesVolumes: false }, 0],
    [
      "the controller expands and modifies",
      driverWith(["EXPAND_VOLUME", "MODIFY_VOLUME"]),
      { expansion: "controller", modifiesVolumes: true },
      0,
    ],
    ["only the node expands", driverWith([], ["EXPAND_VOLUME"]), { expansion: "node", modifiesVolumes: false }, 1],
    [
      "the node expands, the controller modifies",
      driverWith(["MODIFY_VOLUME"], ["EXPAND_VOLUME"]),
      { expansion: "node", modifiesVolumes: true },
      1,
    ],
    ["it only modifies", driverWith(["MODIFY_VOLUME"]), { expansion: "none", modifiesVolumes: true }, 1],
    ["it knows single writers", driverWith(["EXPAND_VOLUME", "SINGLE_NODE_MULTI_WRITER"]), { singleNodeMultiWriter: true }, 0],
  ])("%s", async (_what, capabilities, info, askedNode) => {
    await using world = await startWorld({ driver: { capabilities } });
    const line = world.log.lines.find(({ message }) => message === "Starting controllers");
    expect(line?.fields).toMatchObject({ name: driverName, ...info });
    expect(
      [world.driver.calls("ControllerGetCapabilities"), world.driver.calls("NodeGetCapabilities")].map(({ length }) => length),
    ).toEqual([1, askedNode]);
  });

  test("it only modifies, and has no node service where its controller is", async () => {
    await using world = await startWorld({ driver: { capabilities: driverWith(["MODIFY_VOLUME"]), script: noNodeService } });
    const line = world.log.lines.find(({ message }) => message === "Starting controllers");
    expect(line?.fields).toMatchObject({ expansion: "none", modifiesVolumes: true });
  });

  test("it only modifies, and classes are switched off: it runs, and asks for nothing", async () => {
    const capabilities = driverWith(["MODIFY_VOLUME"]);
    await using world = await startWorld({ driver: { capabilities }, gatesOff: ["VolumeAttributesClass"] });
    await world.metrics();
    expect(world.log.lines.filter(({ severity }) => severity === "error")).toEqual([]);
    await world.stop();
    expect(await world.requests()).toEqual([]);
  });

  test.each<[string, Capabilities, Script, string]>([
    ["no controller service", presets.nodeOnly, {}, "CSI driver does not support controller service"],
    ["nothing", driverWith([]), {}, "CSI driver does not support resize nor modify"],
    ["nothing, and no node service", driverWith([]), noNodeService, "CSI driver does not support resize nor modify"],
  ])("it cannot be served: %s", async (_what, capabilities, script, reason) => {
    await using world = await startWorld({ stopped: true, driver: { capabilities, script } });
    expect(await world.run().catch(String)).toContain(reason);
  });

  test.each(["ControllerGetCapabilities", "NodeGetCapabilities"] as const)(
    "one that does not answer to %s is asked again",
    async (method) => {
      const script: Script = { [method]: [step.fail("Internal", "no")] };
      await using world = await startWorld({ driver: { capabilities: driverWith(["MODIFY_VOLUME"]), script } });
      const errors = world.log.lines.filter(({ severity }) => severity === "error").map(({ message }) => message);
      expect(errors).toEqual(["Failed to read what the driver supports, will be retried"]);
      expect(world.driver.calls(method)).toHaveLength(2);
    },
  );
});
