import { setTimeout as sleep } from "node:timers/promises";
import { fields, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { ControllerSubject, Limit } from "../shared/controller-subject.ts";
import { measureOperation, type OperationCost } from "../shared/measure-operation.ts";
import { type CountOf, countObjects } from "../shared/object-counts.ts";
import { type StartedSubject, startSubject } from "../shared/started-subject.ts";
import { createContents, deleteContents, deleteSnapshots, requestSnapshots, type SnapshotWorld } from "./world.ts";

/** What taking snapshots and deleting them again cost. */
export interface SnapshotCost {
  readonly take: OperationCost;
  readonly delete: OperationCost;
  /** Bytes of all programs, when all snapshots were taken. */
  readonly takenRss: number;
}

/** A sidecar, and the controller that serves it. */
export interface SubjectPair {
  readonly name: string;
  readonly ours: boolean;
  readonly sidecar: ControllerSubject;
  readonly controller: ControllerSubject;
}

const settleMs = 2_000;
const contentFields = fields(VolumeSnapshotContent, { status: { readyToUse: true } });
const snapshotFields = fields(VolumeSnapshot, { status: { readyToUse: true } });

/** Has a sidecar take and delete the snapshots of contents; the bench does what a snapshot-controller would. */
export async function measureSidecar(world: SnapshotWorld, subject: ControllerSubject, count: number, limit: Limit): Promise<SnapshotCost> {
  await using started = await startSubject(world, subject, limit);
  const batch = world.nextBatch();
  return await measure(world, [started], count, {
    take: () => createContents(world, batch, count),
    delete: () => deleteContents(world, batch, count),
    count: (factory, countOf) => countOf(factory.forFields(contentFields), isReady),
    isOf: (name) => name.includes(batch),
  });
}

/** Has a sidecar and a controller take and delete the snapshots of claims. */
export async function measurePair(world: SnapshotWorld, pair: SubjectPair, count: number): Promise<SnapshotCost> {
  await using controller = await startSubject({ ...world, watched: "volumesnapshots" }, pair.controller, "none");
  await using sidecar = await startSubject(world, pair.sidecar, "none");
  const batch = world.nextBatch();
  return await measure(world, [sidecar, controller], count, {
    take: () => requestSnapshots(world, batch, count),
    delete: () => deleteSnapshots(world, batch, count),
    count: (factory, countOf) => countOf(factory.forFields(snapshotFields), isReady),
    isOf: (name) => name.startsWith(batch),
  });
}

const isReady = ({ status }: { readonly status?: { readonly readyToUse?: boolean } }) => status?.readyToUse === true;

/** How snapshots are requested, deleted and counted. */
interface Steps {
  take(): Promise<void>;
  delete(): Promise<void>;
  count(factory: Parameters<Parameters<typeof countObjects>[1]>[0], countOf: CountOf): () => number;
  isOf(name: string): boolean;
}

async function measure(world: SnapshotWorld, programs: readonly StartedSubject[], count: number, steps: Steps): Promise<SnapshotCost> {
  await using counter = await countObjects(world.admin, (factory, countOf) => {
    const ready = steps.count(factory, (view, counted) => countOf(view, (object) => steps.isOf(object.metadata.name) && counted(object)));
    return () => ({ ready: ready() });
  });
  const check = () => {
    for (const { sidecar } of programs) sidecar.check();
  };
  const until = (ready: number) => counter.until((counts) => counts.ready === ready, check);
  const take = await measureOperation(world, programs, count, { begin: steps.take, done: () => until(count) });
  await sleep(settleMs);
  const takenRss = programs.reduce((sum, { sidecar }) => sum + sidecar.memory.rss, 0);
  const deletion = await measureOperation(world, programs, count, { begin: steps.delete, done: () => until(0) });
  return { take, delete: deletion, takenRss };
}

/** How long it takes until a driver is asked for a new snapshot, in milliseconds: the subject has read what exists. */
export async function measureFirstCall(world: SnapshotWorld, subject: ControllerSubject): Promise<number> {
  await using started = await startSubject(world, subject, "default");
  const batch = world.nextBatch();
  const calls = async () => (await world.driver.calls()).filter(({ method }) => method === "CreateSnapshot").length;
  const before = await calls();
  const began = performance.now();
  await createContents(world, batch, 1);
  while ((await calls()) === before) {
    started.sidecar.check();
    await sleep(10);
  }
  const ms = performance.now() - began;
  await deleteContents(world, batch, 1);
  return ms;
}
