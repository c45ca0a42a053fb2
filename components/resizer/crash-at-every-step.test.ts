import { expect, test } from "bun:test";
import { bytesOf as bytes } from "@csi-sidecars/base";
import { Pod } from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { inDefault, podOf } from "./testing/objects.ts";
import { expanding, expandingAlone, type ResizerWorld, startWorld, type WorldOptions } from "./testing/resizer-world.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process crashes and is started again. */
interface Scenario {
  readonly driver?: WorldOptions["driver"];
  readonly script?: Script;
  readonly gatesOff?: readonly string[];
  /** What claim, volume and driver have in the end. */
  readonly size: string;
  run(world: ResizerWorld): Promise<void>;
}

const G = 10n ** 9n;
/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };
const note = "volume.alpha.kubernetes.io/pre-resize-capacity";
const alone = { capabilities: expandingAlone };
const withNode = { capabilities: expanding };
const onlyNode = { capabilities: { ...expanding, controller: ["CREATE_DELETE_VOLUME"] } } satisfies WorldOptions["driver"];

/** Waits for our part, and does kubelet's. */
async function expandOnNode(world: ResizerWorld, size: string): Promise<void> {
  await world.until(
    ({ status }) => status?.allocatedResourceStatuses?.storage === "NodeResizePending" && status?.allocatedResources?.storage === size,
  );
  await finishOnNode(world, size);
}

async function finishOnNode(world: ResizerWorld, size: string): Promise<void> {
  expect((await world.volume()).metadata?.annotations?.[note]).toBeDefined();
  await world.patchStatus({ capacity: { storage: size }, conditions: null, allocatedResourceStatuses: null });
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a volume is expanded": { driver: alone, size: "2G", run: (world) => world.request("2G") },
  "a volume is expanded, with the node": {
    driver: withNode,
    size: "2G",
    async run(world) {
      await world.request("2G");
      await expandOnNode(world, "2G");
    },
  },
  "a volume is expanded twice, with the node": {
    driver: withNode,
    size: "3G",
    async run(world) {
      await world.request("2G");
      await expandOnNode(world, "2G");
      await world.request("3G");
      await expandOnNode(world, "3G");
    },
  },
  "a volume is expanded, with the node and without recovery": {
    driver: withNode,
    gatesOff: ["RecoverVolumeExpansionFailure"],
    size: "2G",
    async run(world) {
      await world.request("2G");
      await world.until(({ status }) => status?.conditions?.some(({ type }) => type === "FileSystemResizePending"));
      await finishOnNode(world, "2G");
    },
  },
  "a volume is expanded, only by the node": {
    driver: onlyNode,
    size: "2G",
    async run(world) {
      await world.request("2G");
      await expandOnNode(world, "2G");
      Object.assign(world.driver.volumes.get("handle-data") ?? {}, { capacityBytes: 2n * G });
    },
  },
  "a volume in use is expanded when no pod uses it any more": {
    driver: alone,
    size: "2G",
    async run(world) {
      await world.create(Pod, podOf("one"));
      world.driver.always("ControllerExpandVolume", step.fail("FailedPrecondition"));
      await world.request("2G");
      await world.untilEvent("volume is currently in-use");
      await world.admin.delete(Pod, inDefault("one"), { gracePeriodSeconds: 0 });
      world.driver.always("ControllerExpandVolume", step.act);
    },
  },
  "answers of the driver are lost": {
    driver: alone,
    script: { ControllerExpandVolume: [step.lost, step.lost, step.lostBefore] },
    size: "2G",
    run: (world) => world.request("2G"),
  },
  "a size is infeasible, and the request is lowered": {
    driver: { ...alone, maximumVolumeBytes: 6n * G },
    size: "5G",
    async run(world) {
      await world.request("10G");
      await world.until(({ status }) => status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
      await world.request("5G");
    },
  },
  "a size fails, and the request is lowered": {
    driver: alone,
    size: "5G",
    async run(world) {
      world.driver.always("ControllerExpandVolume", step.fail("Internal"));
      await world.request("10G");
      await world.until(({ status }) => status?.conditions?.some(({ type }) => type === "ControllerResizeError"));
      await world.request("5G");
      world.driver.always("ControllerExpandVolume", step.act);
    },
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario({ driver, script = {}, gatesOff, size, run }: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startWorld({ driver: { ...driver, script }, gatesOff, flags: { timeout: 250 }, crashPoint, stopped: true });
  world.driver.addVolume({ id: "handle-data", capacityBytes: G });
  await world.addClaim({ capacity: "1G" });
  await withRestart(world, async () => {
    await run(world);
    const done = await world.until(({ status }) => isAtLeast(status?.capacity?.storage, size) && !status?.allocatedResourceStatuses);
    const volume = await world.untilVolume(({ metadata }) => metadata?.annotations?.[note] === undefined);
    expect(done.status?.conditions ?? []).toEqual([]);
    // A crash hides that an attempt has ended for good: then a larger size than the lowered one may be reached first.
    const has = world.driver.volumes.get("handle-data")?.capacityBytes ?? 0n;
    expect([bytes(done.status?.capacity?.storage), bytes(volume.spec?.capacity?.storage)]).toEqual([has, has]);
  });
}

function isAtLeast(quantity: string | number | undefined, size: string): boolean {
  return bytes(quantity) >= bytes(size);
}
