import { jitter } from "@csi-sidecars/base";
import { wrapError } from "@csi-sidecars/controller";
import { Code, GrpcError, listPages } from "@csi-sidecars/csi";
import { claimOf } from "../claim-of.ts";
import type { Volume } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import { ListedConditions } from "./listed-conditions.ts";
import { untilAvailable } from "./until-available.ts";
import { reportCondition, reportMissing, type VolumeChecks } from "./volume-checks.ts";

type Flags = Pick<HealthMonitorComponentContext["flags"], "listVolumesInterval" | "maxEntries" | "reportMissingVolumes">;

const byHandle = "handle";
/** Of the interval: so that the lists of several drivers, and of several processes, do not fall into step. */
const jitterFraction = 0.1;
/** After so many lists in a row that the driver does not implement, it is asked about single volumes. */
const unimplementedLists = 3;

/**
 * Lists the driver's volumes every `--list-volumes-interval` and reports their conditions. Returns when the signal aborts, or when the
 * driver turns out not to list volumes although it says so, and can be asked in another way.
 */
export async function runListVolumesMode(c: VolumeChecks, flags: Flags, signal: AbortSignal): Promise<void> {
  c.volumes.addIndex(byHandle, ({ spec }) => (spec?.csi?.driver === c.driver.name ? [spec.csi.volumeHandle] : []));
  let unlisted: ReadonlySet<string> = new Set();
  let unimplemented = 0;
  for (;;) {
    await untilAvailable(c.availability, signal);
    if (signal.aborted) return;
    const pass = c.metrics.beginPass();
    try {
      const listed = await listConditions(c, flags, signal);
      for (const [handle, condition] of listed.conditions) {
        for (const volume of volumesOf(c, handle)) reportCondition(c, volume, condition);
      }
      for (const handle of listed.unlisted) {
        if (unlisted.has(handle)) for (const volume of volumesOf(c, handle)) reportMissing(c, volume);
      }
      unlisted = listed.unlisted;
      unimplemented = 0;
      pass.succeeded();
    } catch (error) {
      if (signal.aborted) return;
      pass.failed();
      c.metrics.checkFailed();
      c.log.error(error, "Check controller volume status error");
      unimplemented = isUnimplemented(error) ? unimplemented + 1 : 0;
      if (unimplemented >= unimplementedLists && c.driver.getsVolumes) {
        c.log.error(error, "The CSI driver reports LIST_VOLUMES and does not implement it: it is asked about each volume from now on");
        return;
      }
    }
    await c.clock.sleep(jitter(flags.listVolumesInterval, jitterFraction), signal).catch(() => undefined);
  }
}

/** The time limit is that of one page, so that many volumes only take longer. A page that fails fails the whole list. */
async function listConditions(c: VolumeChecks, flags: Flags, signal: AbortSignal): Promise<ListedConditions> {
  const { csiController, timeoutMs, conditions } = c;
  const listed = new ListedConditions({
    has: (handle) => volumesOf(c, handle).length > 0,
    isReported: (handle) => conditions.hasReported && volumesOf(c, handle).some((volume) => isReported(c, volume)),
    ...(flags.reportMissingVolumes && { expected: boundHandles(c) }),
  });
  const read = (startingToken: string) => csiController.listVolumes({ maxEntries: flags.maxEntries, startingToken }, { timeoutMs, signal });
  try {
    for await (const entries of listPages("ListVolumes", read)) listed.addPage(entries);
  } catch (error) {
    throw wrapError("failed to list volumes", error);
  }
  return listed;
}

/** The same storage may have been made a volume of the cluster twice. */
function volumesOf({ volumes }: VolumeChecks, handle: string): readonly Volume[] {
  return volumes.byIndex(byHandle, handle);
}

function isReported({ driver, claims, conditions }: VolumeChecks, volume: Volume): boolean {
  const claim = claimOf(volume, driver.name, claims);
  return claim !== undefined && conditions.isReported(claim);
}

/** Of the volumes that are bound now: the driver may not list those yet that are bound while it lists. */
function* boundHandles({ volumes, driver, claims }: VolumeChecks): Iterable<string> {
  for (const volume of volumes.list()) {
    const handle = volume.spec?.csi?.volumeHandle;
    if (handle && claimOf(volume, driver.name, claims)) yield handle;
  }
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof GrpcError && error.cause.code === Code.Unimplemented;
}
