import { PersistentVolume, PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import type { DriverCall, ScriptedDriver } from "@csi-sidecars/testcluster";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import { requestTimeout } from "./claims.ts";
import { imageVolume } from "./sources.ts";

/**
 * Waits until only the kept claims exist, bound, each with its PersistentVolume, and the driver has only their volumes and no snapshot
 * is protected. Returns what differs after the limit.
 */
export async function leaks(world: World, kept: ReadonlySet<string>, limitMs: number): Promise<readonly string[]> {
  const isClean = async () => (await leaksNow(world, kept)).length === 0;
  await until("nothing leaked", isClean, limitMs).catch(() => {});
  return leaksNow(world, kept);
}

async function leaksNow({ cluster: { admin }, driver }: World, kept: ReadonlySet<string>): Promise<readonly string[]> {
  const claims = (await admin.list(PersistentVolumeClaim, requestTimeout)).items;
  const volumes = (await admin.list(PersistentVolume, requestTimeout)).items;
  const found: string[] = [];
  for (const { metadata, status } of claims) {
    const { name = "", finalizers = [] } = metadata ?? {};
    const state = `claim ${name}, ${status?.phase}, ${finalizers.join(" ")}`;
    if (!kept.has(name)) found.push(`${state}: not deleted`);
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
    if (!kept.has(spec?.claimRef?.name ?? "")) found.push(`${state}: not deleted`);
    if (!driver.volumes.has(handle)) found.push(`${state}: the driver does not have it`);
  }
  for (const { id, name } of driver.volumes.values()) {
    if (id !== imageVolume && !handles.has(id))
      found.push(`volume ${name} of the driver: leaked\n${callsFor(driver, id, name).join("\n")}`);
  }
  for (const { metadata } of (await admin.list(VolumeSnapshot, requestTimeout)).items) {
    const { name, finalizers = [] } = metadata ?? {};
    if (finalizers.length > 0) found.push(`snapshot ${name}, ${finalizers.join(" ")}: still protected`);
  }
  return found;
}

/** The calls of the driver for a volume, with their outcomes. */
function callsFor(driver: ScriptedDriver, id: string, name: string): readonly string[] {
  return driver
    .calls()
    .filter(({ request }) => ("volumeId" in request && request.volumeId === id) || ("name" in request && request.name === name))
    .map(({ method, startedAt, endedAt, clientGoneAt, outcome }) =>
      ["  ", method, startedAt, endedAt, clientGoneAt, outcome?.kind, outcome?.kind === "failed" && outcome.message].join(" "),
    );
}

/** How late a driver on a busy machine may notice that a client gave up: the next call can arrive before. */
const noticeMs = 100;

/** Calls that changed one volume at the same time, while a client waited for both. */
export function overlappingCalls(driver: ScriptedDriver): readonly [DriverCall, DriverCall][] {
  return driver.overlaps().filter(([{ clientGoneAt = Number.POSITIVE_INFINITY }, later]) => clientGoneAt - later.startedAt > noticeMs);
}
