import { setTimeout as sleep } from "node:timers/promises";
import { type CachedOf, fields, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { ControllerSubject, Limit } from "../shared/controller-subject.ts";
import { measureOperation, type OperationCost } from "../shared/measure-operation.ts";
import { countObjects } from "../shared/object-counts.ts";
import { type StartedSubject, startSubject } from "../shared/started-subject.ts";
import { createClass, finishOnNodes, type ResizeWorld, requestClass, requestSize } from "./world.ts";

/** What growing volumes and then changing their class cost a subject. */
export interface ResizeCost {
  readonly grow: OperationCost;
  readonly modify: OperationCost;
  /** Bytes, before there was anything to do. */
  readonly idleRss: number;
  /** When all volumes had grown. */
  readonly grownRss: number;
}

const settleMs = 2_000;

/** Has a subject grow the first `count` volumes and then change their class. */
export async function measureResize(world: ResizeWorld, subject: ControllerSubject, count: number, limit: Limit): Promise<ResizeCost> {
  await using started = await startSubject(world, subject, limit);
  const idleRss = started.sidecar.memory.rss;
  const grow = await measureGrowth(world, started, count);
  await sleep(settleMs);
  const grownRss = started.sidecar.memory.rss;
  const name = `class-${world.nextStep()}`;
  await createClass(world, name);
  const modify = await measure(world, started, count, {
    begin: () => requestClass(world, count, name),
    isDone: ({ status }) => status?.currentVolumeAttributesClassName === name,
  });
  return { grow, modify, idleRss, grownRss };
}

/** Has a subject grow the first `count` volumes with a driver whose nodes have to expand file systems. */
export async function measureNodeExpansion(world: ResizeWorld, subject: ControllerSubject, count: number): Promise<OperationCost> {
  const expanding = { ...world, driver: world.nodeExpanding };
  const size = `${world.nextStep()}Gi`;
  const measured = await (async () => {
    await using started = await startSubject(expanding, subject, "none");
    return await measure(expanding, started, count, {
      begin: () => requestSize(world, count, size),
      isDone: ({ status }) =>
        status?.allocatedResourceStatuses?.storage === "NodeResizePending" && status.allocatedResources?.storage === size,
    });
  })();
  await finishOnNodes(world, count, size);
  return measured;
}

/** Grows volumes; the subject runs already. */
export async function measureGrowth(world: ResizeWorld, started: StartedSubject, count: number): Promise<OperationCost> {
  const size = `${world.nextStep()}Gi`;
  return await measure(world, started, count, {
    begin: () => requestSize(world, count, size),
    isDone: ({ status }) => status?.capacity?.storage === size,
  });
}

const claimFields = fields(PersistentVolumeClaim, {
  status: {
    capacity: ["storage"],
    allocatedResources: ["storage"],
    allocatedResourceStatuses: true,
    currentVolumeAttributesClassName: true,
  },
});

/** What is asked of the claims, and when the subject is done with one. */
interface Step {
  begin(): Promise<void>;
  isDone(claim: CachedOf<typeof claimFields>): boolean;
}

async function measure(
  world: ResizeWorld,
  { user, sidecar }: StartedSubject,
  count: number,
  { begin, isDone }: Step,
): Promise<OperationCost> {
  await using counter = await countObjects(world.admin, (factory, countOf) => {
    const done = countOf(factory.forFields(claimFields), isDone);
    return () => ({ done: done() });
  });
  const done = () =>
    counter.until(
      (counts) => counts.done === count,
      () => sidecar.check(),
    );
  return await measureOperation(world, [{ user, sidecar }], count, { begin, done });
}
