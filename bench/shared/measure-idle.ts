import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, type ControllerSubject } from "./controller-subject.ts";
import { Sidecar } from "./sidecar.ts";
import { freeLeases, type Surroundings, untilWatching } from "./world.ts";

/** What a subject costs that leads and has nothing to do. */
export interface IdleCost {
  /** Bytes. */
  readonly rss: number;
  readonly peak: number;
  readonly anonymous: number;
  /** From its start until it had settled. */
  readonly cpuSeconds: number;
  readonly idleCpuSecondsPerMinute: number;
  /** Leases included. */
  readonly idleRequestsPerMinute: number;
  /** From its start to the first list, streamed or not, that the server saw. */
  readonly firstListMs: number;
}

/** Starts a subject with the cluster as it is and measures it doing nothing. `idleSeconds` 0 leaves the idle CPU out. */
export async function measureIdle(
  world: Surroundings,
  subject: ControllerSubject,
  settleSeconds: number,
  idleSeconds: number,
): Promise<IdleCost> {
  await freeLeases(world);
  const user = world.server.newUser();
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, "none");
  await using sidecar = new Sidecar(world.bench, subject.name, subject.program, args);
  const requests = await untilWatching(world, user, sidecar);
  const firstList = requests.find(({ verb, resource }) => (verb === "list" || verb === "watch") && resource !== "leases");
  await sleep(settleSeconds * 1000);
  const settled = sidecar.cpuSeconds;
  const settledAt = Date.now();
  await sleep(idleSeconds * 1000);
  sidecar.check();
  const idleRequests = (await world.server.requests(user)).filter(({ at }) => at >= settledAt).length;
  return {
    ...sidecar.memory,
    cpuSeconds: settled,
    idleCpuSecondsPerMinute: ((sidecar.cpuSeconds - settled) * 60) / idleSeconds,
    idleRequestsPerMinute: (idleRequests * 60) / idleSeconds,
    firstListMs: (firstList?.at ?? Number.NaN) - sidecar.startedAt,
  };
}
