import { runAll, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { runContents } from "./content/run-contents.ts";
import { driverInfo, logMissingGroupSupport } from "./driver-capabilities.ts";
import type { SnapshotterComponentContext } from "./flags.ts";
import { runGroupContents } from "./group-content/run-group-contents.ts";
import { groupSnapshotKinds, snapshotKinds } from "./kinds.ts";
import { snapshotterContext } from "./snapshotter-context.ts";

/** Asks the driver what it can do, and works until the context's signal aborts. The kinds may be installed later. */
export async function startSnapshotter(context: SnapshotterComponentContext): Promise<Running> {
  const { driver, flags, gates, log, signal } = context;
  const info = await driverInfo(driver.name, driver.capabilities, { timeoutMs: flags.timeout });
  log.info("Starting controllers", { ...info });
  const c = snapshotterContext(context, info);
  const areServed = waitForKinds(context, snapshotKinds, signal);
  const contents = async () => {
    if (await areServed) await runContents(context, c);
  };
  const groupContents = async () => {
    if (!(await areServed) || !(await waitForKinds(context, groupSnapshotKinds, signal))) return;
    await logMissingGroupSupport(driver.capabilities, { timeoutMs: flags.timeout }, log);
    await runGroupContents(context, c);
  };
  return { done: runAll([contents(), ...(gates.enabled("CSIVolumeGroupSnapshot") ? [groupContents()] : [])], signal) };
}
