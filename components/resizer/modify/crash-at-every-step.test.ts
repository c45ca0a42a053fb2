import { expect, test } from "bun:test";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { type ModifyWorld, silverClaim, startModifyWorld } from "./testing/modify-world.ts";

/** What a user does, and what it ends with, whenever the process crashes and is started again. */
interface Scenario {
  readonly script?: Script;
  run(world: ModifyWorld): Promise<void>;
}

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 4 };

const scenarios: Readonly<Record<string, Scenario>> = {
  "a volume is modified": {
    async run(world) {
      await world.nameClass("gold");
      await world.untilModified("gold");
    },
  },
  "a refused class is rolled back": {
    script: { ControllerModifyVolume: [step.fail("InvalidArgument"), step.fail("InvalidArgument")] },
    async run(world) {
      await world.nameClass("gold");
      await world.driver.called("ControllerModifyVolume");
      await world.nameClass("silver");
      await world.untilModified("silver");
    },
  },
  "an uncertain call, then a final error, then another class": {
    script: { ControllerModifyVolume: [step.fail("Aborted"), step.fail("Internal")] },
    async run(world) {
      await world.nameClass("gold");
      await world.driver.called("ControllerModifyVolume");
      await world.nameClass("bronze");
      await world.untilModified("bronze");
    },
  },
  "a lost answer": {
    script: { ControllerModifyVolume: [step.lost] },
    async run(world) {
      await world.nameClass("gold");
      await world.untilModified("gold");
    },
  },
  "a missing class is created": {
    async run(world) {
      await world.nameClass("platinum");
      await world.until(({ status }) => status?.modifyVolumeStatus?.status === "Pending");
      await world.createClass("platinum");
      await world.untilModified("platinum");
    },
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario({ script = {}, run }: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startModifyWorld({ driver: { script }, flags: { timeout: 150 }, crashPoint, stopped: true });
  await world.addClaim(silverClaim());
  await withRestart(world, async () => {
    await run(world);
    const { status } = await world.claim();
    expect(status?.conditions).toBeUndefined();
    // The driver, the volume and the claim agree.
    expect(world.driver.volumes.get("handle-data")?.mutableParameters.tier).toBe(status?.currentVolumeAttributesClassName ?? "");
  });
}
