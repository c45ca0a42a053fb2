import { setTimeout as sleep } from "node:timers/promises";
import { fields, VolumeAttachment } from "@csi-sidecars/kube";
import { argumentsOf, type ControllerSubject, type Limit } from "../shared/controller-subject.ts";
import { measureOperation, type OperationCost } from "../shared/measure-operation.ts";
import { countObjects, type ObjectCounts } from "../shared/object-counts.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { untilWatching, type World } from "../shared/world.ts";
import { createAttachments, createVolumes, deleteAttachments, type Provisioned, removeVolumes } from "./world.ts";

/** What attaching and then detaching the same volumes cost a subject. */
export interface AttachDetachCost {
  readonly attach: OperationCost;
  readonly detach: OperationCost;
  /** Bytes, when everything was attached. */
  readonly attachedRss: number;
}

const settleMs = 2_000;

/** Has a subject attach and then detach `count` volumes. */
export async function measureAttachDetach(
  world: World,
  subject: ControllerSubject,
  count: number,
  limit: Limit,
  provisioned: Provisioned = "in another process",
): Promise<AttachDetachCost> {
  const user = world.server.newUser();
  await createVolumes(world, count, provisioned);
  await using counter = await countAttachments(world);
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, limit);
  await using sidecar = new Sidecar(world.bench, subject.name, subject.program, args);
  await untilWatching(world, user, sidecar);
  const measure = (begin: () => Promise<void>, wanted: number) => {
    const isDone = (counts: { present: number; attached: number }) => counts.present === wanted && counts.attached === wanted;
    return measureOperation(world, [{ user, sidecar }], count, { begin, done: () => counter.until(isDone, () => sidecar.check()) });
  };
  const attach = await measure(() => createAttachments(world, count), count);
  await sleep(settleMs);
  const attachedRss = sidecar.memory.rss;
  const detach = await measure(() => deleteAttachments(world, count), 0);
  await removeVolumes(world, count);
  return { attach, detach, attachedRss };
}

/** How many attachments there are, and how many of them are attached. */
export interface Counts {
  readonly present: number;
  readonly attached: number;
}

const attachmentFields = fields(VolumeAttachment, { status: { attached: true } });

/** Counts attachments as they change. */
function countAttachments({ admin }: World): Promise<ObjectCounts<Counts>> {
  return countObjects(admin, (factory, countOf) => {
    const view = factory.forFields(attachmentFields);
    const present = countOf(view, () => true);
    const attached = countOf(view, ({ status }) => status?.attached === true);
    return () => ({ present: present(), attached: attached() });
  });
}
