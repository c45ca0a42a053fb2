import { setTimeout as sleep } from "node:timers/promises";
import { fields, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { argumentsOf, type ControllerSubject, type Limit } from "../shared/controller-subject.ts";
import type { User } from "../shared/counting-server.ts";
import { measureOperation, type OperationCost } from "../shared/measure-operation.ts";
import { countObjects, type ObjectCounts } from "../shared/object-counts.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { untilWatching, type World } from "../shared/world.ts";
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
}

/** Has a subject provision and then delete the volumes of `count` claims. Volumes that exist before stay. */
export async function measureCreateDelete(
  world: World,
  subject: ControllerSubject,
  count: number,
  limit: Limit,
): Promise<CreateDeleteCost> {
  await using started = await start(world, subject, limit);
  const { user, sidecar, counter } = started;
  const { volumes, bound } = counter.counts;
  const until = (is: (counts: Counts) => boolean) => counter.until(is, () => sidecar.check());
  const idleRss = sidecar.memory.rss;
  const create = await measureOperation(world, user, sidecar, count, {
    begin: () => createClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes + count),
    settled: () => until((counts) => counts.bound === bound + count),
  });
  const fullRss = sidecar.memory.rss;
  const deletion = await measureOperation(world, user, sidecar, count, {
    begin: () => deleteClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes && counts.bound === bound),
  });
  return { create, delete: deletion, idleRss, fullRss, endRss: sidecar.memory.rss };
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

interface Started extends AsyncDisposable {
  readonly user: User;
  readonly sidecar: Sidecar;
  readonly counter: ObjectCounts<Counts>;
}

async function start(world: World, subject: ControllerSubject, limit: Limit): Promise<Started> {
  await using opened = new AsyncDisposableStack();
  const user = world.server.newUser();
  const counter = opened.use(await countVolumes(world));
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, limit);
  const sidecar = opened.use(new Sidecar(world.bench, subject.name, subject.program, args));
  await untilWatching(world, user, sidecar);
  await untilIdle(sidecar);
  const running = opened.move();
  return { user, sidecar, counter, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Listing what exists at the start must not count as work on what is created later. */
async function untilIdle(sidecar: Sidecar): Promise<void> {
  for (let before = Number.NaN; !(sidecar.cpuSeconds - before < 0.05); ) {
    before = sidecar.cpuSeconds;
    await sleep(1_000);
    sidecar.check();
  }
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
