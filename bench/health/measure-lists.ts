import { setTimeout as sleep } from "node:timers/promises";
import { type ControllerSubject, withFlags } from "../shared/controller-subject.ts";
import type { CallCounts } from "../shared/fleet/fleet.ts";
import { startSubject } from "../shared/started-subject.ts";
import { freeLeases } from "../shared/world.ts";
import { openWindow, untilQuiet, type WindowCost } from "./window.ts";
import { deleteEvents, type HealthWorld } from "./world.ts";

/** What it costs to ask the driver for all of its volumes, list after list; bytes are RSS. */
export interface ListCost {
  /** From the start of the process to the end of the first list. */
  readonly firstListMs: number;
  readonly callsPerList: number;
  readonly cpuMsPerList: number;
  readonly requestsPerList: number;
  /** After the second list, and after the last. */
  readonly earlyBytes: number;
  readonly lateBytes: number;
  readonly peakBytes: number;
}

/** Half of the pause between two lists: when a subject has long read the last answer. */
const settleMs = (pauseSeconds: number) => pauseSeconds * 500;

/** Has a subject ask for all volumes again and again; nothing is wrong with any of them. */
export async function measureLists(world: HealthWorld, subject: ControllerSubject, lists: number, pauseSeconds: number): Promise<ListCost> {
  await freeLeases(world);
  const before = await world.driver.order({ restart: true });
  await using started = await startSubject(world, withFlags(subject, `--list-volumes-interval=${pauseSeconds}s`), "default", "busy");
  const { sidecar } = started;
  const untilLists = async (number: number) => {
    const reached = (counts: CallCounts) => counts.lists >= number;
    const counts = await world.driver.until(reached, () => sidecar.check());
    await sleep(settleMs(pauseSeconds));
    return counts;
  };
  const early = await untilLists(before.lists + 2);
  const earlyBytes = sidecar.memory.rss;
  const endWindow = await openWindow(world, started);
  const late = await untilLists(early.lists + lists - 2);
  const cost = await endWindow();
  const counted = late.lists - early.lists;
  return {
    firstListMs: early.firstListAt - sidecar.startedAt,
    callsPerList: (late.listCalls - early.listCalls) / counted,
    cpuMsPerList: cost.cpuMs / counted,
    requestsPerList: (cost.requests + cost.events) / counted,
    ...{ earlyBytes, lateBytes: sidecar.memory.rss, peakBytes: sidecar.memory.peak },
  };
}

/** What it costs when volumes become abnormal, and when they are well again. */
export interface ReportCost {
  readonly abnormal: WindowCost;
  /** Over {@link recoverySeconds}: list after list says that all are well. */
  readonly recovery: WindowCost;
}

/** Several lists, and with default flags enough for all events. */
export const recoverySeconds = 20;

/** Has the driver report some volumes as abnormal in one list, then leave them out, then report them as well from then on. */
export async function measureReports(
  world: HealthWorld,
  subject: ControllerSubject,
  volumes: number,
  pauseSeconds: number,
): Promise<ReportCost> {
  await freeLeases(world);
  await deleteEvents(world);
  await using started = await startSubject(world, withFlags(subject, `--list-volumes-interval=${pauseSeconds}s`), "default");
  const endAbnormal = await openWindow(world, started);
  await world.driver.order({ report: { volumes, conditions: ["abnormal", "not listed"] } });
  await untilQuiet(world, started, pauseSeconds * 2_000);
  const abnormal = await endAbnormal();
  const endRecovery = await openWindow(world, started);
  await world.driver.order({ report: { volumes, conditions: ["normal"] } });
  await sleep(recoverySeconds * 1_000);
  return { abnormal, recovery: await endRecovery() };
}
