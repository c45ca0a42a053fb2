import { PersistentVolume, PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import type { DriverCall, ScriptedDriver } from "@csi-sidecars/testcluster";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import { patience } from "./claims.ts";
import { imageVolume } from "./sources.ts";

/**
 * Waits until exactly the kept claims are there, bound, each with its PersistentVolume, and the driver has exactly their volumes, with no snapshot held;
 * answers with what is different even after the limit.
 */
export async function lastingLeftovers(world: World, kept: ReadonlySet<string>, limitMs: number): Promise<readonly string[]> {
  const isClean = async () => (await leftovers(world, kept)).length === 0;
  await until("nothing left over", isClean, limitMs).catch(() => {});
  return leftovers(world, kept);
}

async function leftovers({ cluster: { admin }, driver }: World, kept: ReadonlySet<string>): Promise<readonly string[]> {
  const claims = (await admin.list(PersistentVolumeClaim, patience)).items;
  const volumes = (await admin.list(PersistentVolume, patience)).items;
  const found: string[] = [];
  for (const { metadata, status } of claims) {
    const { name = "", finalizers = [] } = metadata ?? {};
    const state = `claim ${name}, ${status?.phase}, ${finalizers.join(" ")}`;
    if (!kept.has(name)) found.push(`${state}: not gone`);
    else if (status?.phase !== "Bound") found.push(`${state}: not bound`);
    else if (finalizers.some((finalizer) => finalizer.includes("in-progress"))) found.push(`${state}: still marked`);
  }
  const present = new Set(claims.map(({ metadata }) => metadata?.name));
  for (const name of kept) if (!present.has(name)) found.push(`claim ${name}: lost`);

  const handles = new Set<string>();
  for (const { metadata, spec, status } of volumes) {
    const handle = spec?.csi?.volumeHandle ?? "";
    const state = `volume ${metadata?.name} of ${spec?.claimRef?.name}, ${status?.phase}, ${metadata?.finalizers?.join(" ")}`;
    handles.add(handle);
    if (!kept.has(spec?.claimRef?.name ?? "")) found.push(`${state}: not gone`);
    if (!driver.volumes.has(handle)) found.push(`${state}: the driver does not have it`);
  }
  for (const { id, name } of driver.volumes.values()) {
    if (id !== imageVolume && !handles.has(id)) found.push(`volume ${name} of the driver: leaked\n${storyOf(driver, id, name).join("\n")}`);
  }
  for (const { metadata } of (await admin.list(VolumeSnapshot, patience)).items) {
    const { name, finalizers = [] } = metadata ?? {};
    if (finalizers.length > 0) found.push(`snapshot ${name}, ${finalizers.join(" ")}: not let go`);
  }
  return found;
}

/** What the driver was asked about a volume, and how that ended. */
function storyOf(driver: ScriptedDriver, id: string, name: string): readonly string[] {
  return driver
    .calls()
    .filter(({ request }) => ("volumeId" in request && request.volumeId === id) || ("name" in request && request.name === name))
    .map(({ method, startedAt, endedAt, clientGoneAt, outcome }) =>
      ["  ", method, startedAt, endedAt, clientGoneAt, outcome?.kind, outcome?.kind === "failed" && outcome.message].join(" "),
    );
}

/** How late a driver on a busy machine may notice that a client gave up: the next call can be there before. */
const noticedLateMs = 100;

/** Calls that changed one volume at the same time, while somebody waited for both. */
export function lastingOverlaps(driver: ScriptedDriver): readonly [DriverCall, DriverCall][] {
  return driver.overlaps().filter(([{ clientGoneAt = Number.POSITIVE_INFINITY }, later]) => clientGoneAt - later.startedAt > noticedLateMs);
}
