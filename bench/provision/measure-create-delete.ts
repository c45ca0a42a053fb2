import { setTimeout as sleep } from "node:timers/promises";
import { fields, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { ControllerSubject, Limit } from "../shared/controller-subject.ts";
import { measureOperation, type OperationCost } from "../shared/measure-operation.ts";
import { countObjects, type ObjectCounts } from "../shared/object-counts.ts";
import { type StartedSubject, startSubject } from "../shared/started-subject.ts";
import type { World } from "../shared/world.ts";
import { createClaims, deleteClaims } from "./world.ts";

/** What creating and then deleting the same volumes cost a subject. */
export interface CreateDeleteCost {
  readonly create: OperationCost;
  readonly delete: OperationCost;
  /** Bytes, before there was anything to do. */
  readonly idleRss: number;
  /** When all volumes were there. */
  readonly fullRss: number;
  /** When all were gone again. */
  readonly endRss: number;
  /** After a minute without work; left out where that was not waited for. */
  readonly quietRss: number | undefined;
  /** The most since the start. */
  readonly peakRss: number;
}

/** Has a subject provision and then delete the volumes of `count` claims. Volumes that exist before stay. */
export async function measureCreateDelete(
  world: World,
  subject: ControllerSubject,
  count: number,
  limit: Limit,
  quietSeconds = 0,
): Promise<CreateDeleteCost> {
  await using started = await start(world, subject, limit);
  const { user, sidecar, counter } = started;
  const { volumes, bound } = counter.counts;
  const until = (is: (counts: Counts) => boolean) => counter.until(is, () => sidecar.check());
  const idleRss = sidecar.memory.rss;
  const create = await measureOperation(world, [{ user, sidecar }], count, {
    begin: () => createClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes + count),
    settled: () => until((counts) => counts.bound === bound + count),
  });
  const fullRss = sidecar.memory.rss;
  const deletion = await measureOperation(world, [{ user, sidecar }], count, {
    begin: () => deleteClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes && counts.bound === bound),
  });
  const { rss: endRss, peak: peakRss } = sidecar.memory;
  if (quietSeconds > 0) await sleep(quietSeconds * 1000);
  const quietRss = quietSeconds > 0 ? sidecar.memory.rss : undefined;
  return { create, delete: deletion, idleRss, fullRss, endRss, quietRss, peakRss };
}

/** Has a subject provision volumes that stay. */
export async function createExistingVolumes(world: World, subject: ControllerSubject, count: number): Promise<void> {
  await using started = await start(world, subject, "none");
  const { bound } = started.counter.counts;
  await createClaims(world, "crowd", count);
  await started.counter.until(
    (counts) => counts.bound === bound + count,
    () => started.sidecar.check(),
  );
}

interface Started extends StartedSubject {
  readonly counter: ObjectCounts<Counts>;
}

async function start(world: World, subject: ControllerSubject, limit: Limit): Promise<Started> {
  await using opened = new AsyncDisposableStack();
  const counter = opened.use(await countVolumes(world));
  const { user, sidecar } = opened.use(await startSubject(world, subject, limit));
  const running = opened.move();
  return { user, sidecar, counter, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** How many volumes there are, and how many claims are bound. */
export interface Counts {
  readonly volumes: number;
  readonly bound: number;
}

const volumeFields = fields(PersistentVolume, { status: { phase: true } });
const claimFields = fields(PersistentVolumeClaim, { status: { phase: true } });

/** Counts bound claims and volumes as they change. */
function countVolumes({ admin }: World): Promise<ObjectCounts<Counts>> {
  return countObjects(admin, (factory, countOf) => {
    const volumes = countOf(factory.forFields(volumeFields), () => true);
    const bound = countOf(factory.forFields(claimFields), ({ status }) => status?.phase === "Bound");
    return () => ({ volumes: volumes(), bound: bound() });
  });
}
