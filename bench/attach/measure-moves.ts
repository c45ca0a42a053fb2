import { setTimeout as sleep } from "node:timers/promises";
import { Sidecar } from "../shared/sidecar.ts";
import { createAttachments, createVolumes, deleteAttachments, type Maker, removeVolumes } from "./fleet.ts";
import { type Following, followAttachments } from "./follow-attachments.ts";
import type { Asked, User } from "./server.ts";
import { argumentsOf, type Limit, type Subject } from "./subjects.ts";
import type { World } from "./world.ts";

/** How a subject did one step for all volumes. */
export interface Move {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly requests: number;
  readonly csiCalls: number;
  /** Requests that were answered 4xx, by what was asked and the code. */
  readonly refused: ReadonlyMap<string, number>;
  /** All requests by what was asked. */
  readonly asked: ReadonlyMap<string, number>;
}

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
  subject: Subject,
  count: number,
  limit: Limit,
  maker: Maker = "provisioner apart",
): Promise<Moves> {
  const user = world.server.newUser();
  await createVolumes(world, count, maker);
  await using following = await followAttachments(world);
  await using sidecar = new Sidecar(
    world.bench,
    subject.name,
    subject.program,
    argumentsOf(subject, user.kubeconfig, world.driver.address, limit),
  );
  await untilWatching(world, user, sidecar);
  const step = (create: () => Promise<void>, attached: number) => move(world, user, sidecar, following, count, create, attached);
  const attach = await step(() => createAttachments(world, count), count);
  await sleep(settleMs);
  const attachedRss = sidecar.memory.rss;
  const detach = await step(() => deleteAttachments(world, count), 0);
  await removeVolumes(world, count);
  return { attach, detach, attachedRss };
}

/** Waits until the subject follows attachments: it leads, and is not starting any more. */
export async function untilWatching({ server }: World, user: User, sidecar: Sidecar): Promise<readonly Asked[]> {
  for (;;) {
    // Asking the server what it was asked is not cheap: the subject is to start undisturbed.
    await sleep(1_000);
    sidecar.check();
    const requests = await server.requests(user);
    if (requests.some(({ what }) => what === "watch volumeattachments")) {
      await sleep(settleMs);
      return requests;
    }
  }
}

async function move(
  { server, driver }: World,
  user: User,
  sidecar: Sidecar,
  following: Following,
  count: number,
  begin: () => Promise<void>,
  attached: number,
): Promise<Move> {
  const before = { requests: (await server.requests(user)).length, calls: (await driver.calls()).length, cpu: sidecar.cpuSeconds };
  const began = performance.now();
  await Promise.all([begin(), following.until({ present: attached, attached }, () => sidecar.check())]);
  const seconds = (performance.now() - began) / 1000;
  // What a subject does about its own writes comes back to it a little later.
  await sleep(settleMs);
  const cpu = sidecar.cpuSeconds - before.cpu;
  const requests = (await server.requests(user)).slice(before.requests).filter(isWork);
  const calls = (await driver.calls()).length - before.calls;
  return {
    perSecond: count / seconds,
    cpuMs: (cpu * 1000) / count,
    requests: requests.length / count,
    csiCalls: calls / count,
    refused: countBy(
      requests.filter(({ code }) => code >= 400 && code < 500),
      ({ what, code }) => `${what} ${code}`,
    ),
    asked: countBy(requests, ({ what }) => what),
  };
}

/** Neither events, nor the lease, nor the watches that a server ends now and then. */
function isWork({ verb, resource }: Asked): boolean {
  return verb !== "watch" && verb !== "list" && resource !== "events" && resource !== "leases";
}

function countBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(items, key)].map(([name, group]) => [name, group.length]));
}
