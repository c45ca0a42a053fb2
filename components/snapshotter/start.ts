import { apiCallOptions, runAll, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { reviewAccess } from "@csi-sidecars/kube";
import { runContents } from "./content/run-contents.ts";
import { driverInfo, saysThatItTakesGroups } from "./driver-capabilities.ts";
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
    const takesGroups = await saysThatItTakesGroups(driver.capabilities, { timeoutMs: flags.timeout }, log);
    if (takesGroups || (await mayReadGroups(context))) await runGroupContents(context, c);
  };
  return { done: runAll([contents(), ...(gates.enabled("CSIVolumeGroupSnapshot") ? [groupContents()] : [])], signal) };
}

/** Roles for drivers without group snapshots often lack their kinds: what is refused is not asked for again and again then. */
async function mayReadGroups({ kube, log, signal }: SnapshotterComponentContext): Promise<boolean> {
  try {
    const options = apiCallOptions(signal);
    const reviews = groupSnapshotKinds.map((resource) => reviewAccess(kube, { verb: "watch", resource }, options));
    const mayRead = (await Promise.all(reviews)).every(({ allowed }) => allowed);
    if (!mayRead) log.info("Group snapshots may not be read: users are not told that the driver takes none");
    return mayRead;
  } catch (error) {
    if (!signal.aborted) log.error(error, "Failed to ask the API server whether group snapshots may be read");
    return !signal.aborted;
  }
}
