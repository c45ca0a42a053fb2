import { jitter } from "@csi-sidecars/base";
import { wrapError } from "@csi-sidecars/controller";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { claimOf } from "../claim-of.ts";
import type { Volume } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import type { Pass } from "./check-metrics.ts";
import { ListedConditions } from "./listed-conditions.ts";
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
  for (let inMs = 0; !signal.aborted; inMs = jitter(flags.listVolumesInterval, jitterFraction)) {
    try {
      const listed = await listConditions(c, flags, { inMs, signal });
      report(c, listed, unlisted);
      unlisted = listed.unlisted;
      unimplemented = 0;
    } catch (error) {
      if (signal.aborted) return;
      c.metrics.checkFailed();
      c.log.error(error, "Check controller volume status error");
      unimplemented = isUnimplemented(error) ? unimplemented + 1 : 0;
      if (unimplemented >= unimplementedLists && c.driver.getsVolumes) {
        c.log.error(error, "The CSI driver reports LIST_VOLUMES and does not implement it: it is asked about each volume from now on");
        return;
      }
    }
  }
}

/** Reads a list that is due in so many milliseconds. A page that fails fails the whole list. */
async function listConditions(
  c: VolumeChecks,
  flags: Flags,
  { inMs, signal }: { readonly inMs: number; readonly signal: AbortSignal },
): Promise<ListedConditions> {
  const { csiController: controller, timeoutMs, clock } = c;
  let pass: Pass | undefined;
  const begin = () => {
    pass = c.metrics.beginPass();
    return knownConditions(c, flags);
  };
  try {
    const listed = await c.volumeLists.next({ inMs, clock, controller, maxEntries: flags.maxEntries, timeoutMs, signal, begin });
    pass?.succeeded();
    return listed;
  } catch (error) {
    pass?.failed();
    throw wrapError("failed to list volumes", error);
  }
}

/** What a list that begins now is compared with. */
function knownConditions(c: VolumeChecks, flags: Flags): ListedConditions {
  return new ListedConditions({
    has: (handle) => volumesOf(c, handle).length > 0,
    isReported: (handle) => c.conditions.reported > 0 && volumesOf(c, handle).some((volume) => isReported(c, volume)),
    ...(flags.reportMissingVolumes && { expected: boundHandles(c) }),
  });
}

/** `before`: the volumes that the last complete list lacked. */
function report(c: VolumeChecks, { conditions, unlisted }: ListedConditions, before: ReadonlySet<string>): void {
  for (const [handle, condition] of conditions) for (const volume of volumesOf(c, handle)) reportCondition(c, volume, condition);
  for (const handle of unlisted) {
    if (before.has(handle)) for (const volume of volumesOf(c, handle)) reportMissing(c, volume);
  }
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
