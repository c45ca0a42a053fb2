import { runAll, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { runContents } from "./content/run-contents.ts";
import { driverInfo } from "./driver-capabilities.ts";
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
  const contents = async () => {
    if (await waitForKinds(context, snapshotKinds, signal)) await runContents(context, c);
  };
  const groupContents = async () => {
    if (await waitForKinds(context, [...groupSnapshotKinds, ...snapshotKinds], signal)) await runGroupContents(context, c);
  };
  const hasGroups = info.takesGroupSnapshots && gates.enabled("CSIVolumeGroupSnapshot");
  return { done: runAll([contents(), ...(hasGroups ? [groupContents()] : [])], signal) };
}
