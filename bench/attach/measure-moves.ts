import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, type ControllerSubject, type Limit } from "../shared/controller-subject.ts";
import { type Move, measureMove } from "../shared/measure-move.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { untilWatching } from "../shared/until-watching.ts";
import type { World } from "../shared/world.ts";
import { createAttachments, createVolumes, deleteAttachments, type Maker, removeVolumes } from "./fleet.ts";
import { followAttachments } from "./follow-attachments.ts";

export interface Moves {
  readonly attach: Move;
  readonly detach: Move;
  /** Bytes, when everything was attached. */
  readonly attachedRss: number;
}

const settleMs = 2_000;

/** Lets a subject attach and then detach so many volumes. */
export async function measureMoves(
  world: World,
  subject: ControllerSubject,
  count: number,
  limit: Limit,
  maker: Maker = "provisioner apart",
): Promise<Moves> {
  const user = world.server.newUser();
  await createVolumes(world, count, maker);
  await using following = await followAttachments(world);
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, limit);
  await using sidecar = new Sidecar(world.bench, subject.name, subject.program, args);
  await untilWatching(world, user, sidecar);
  const move = (begin: () => Promise<void>, wanted: number) => {
    const isDone = (counts: { present: number; attached: number }) => counts.present === wanted && counts.attached === wanted;
    return measureMove(world, user, sidecar, count, { begin, done: () => following.until(isDone, () => sidecar.check()) });
  };
  const attach = await move(() => createAttachments(world, count), count);
  await sleep(settleMs);
  const attachedRss = sidecar.memory.rss;
  const detach = await move(() => deleteAttachments(world, count), 0);
  await removeVolumes(world, count);
  return { attach, detach, attachedRss };
}
