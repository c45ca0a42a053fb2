import { setTimeout as sleep } from "node:timers/promises";
import { step } from "@csi-sidecars/testcluster";
import type { ControllerSubject } from "../shared/controller-subject.ts";
import { startSubject } from "../shared/started-subject.ts";
import { measureGrowth } from "./measure-resize.ts";
import type { ResizeWorld } from "./world.ts";

/** The subject without in-use handling. */
export const withoutInUseHandling = (subject: ControllerSubject): ControllerSubject => ({
  ...subject,
  args: [...subject.args, "--handle-volume-inuse-error=false"],
});

const settleMs = 10_000;

/** The RSS of a subject, in bytes, after the driver has once refused to expand a volume in use: from then on pods matter. */
export async function measureAfterRefusal(world: ResizeWorld, subject: ControllerSubject): Promise<number> {
  await using started = await startSubject(world, subject, "none");
  await world.driver.script("ControllerExpandVolume", step.fail("FailedPrecondition", "the volume is in use"));
  await measureGrowth(world, started, 1);
  await sleep(settleMs);
  return started.sidecar.memory.rss;
}
