import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, type ControllerSubject, type Limit } from "./controller-subject.ts";
import type { User } from "./counting-server.ts";
import { Sidecar } from "./sidecar.ts";
import { type Surroundings, untilWatching } from "./world.ts";

/** A subject that leads and has nothing to do yet. */
export interface StartedSubject extends AsyncDisposable {
  readonly user: User;
  readonly sidecar: Sidecar;
}

/** Starts a subject in a fresh process. Resolves when it has read what exists; one that is `busy` from then on never idles. */
export async function startSubject(
  world: Surroundings,
  subject: ControllerSubject,
  limit: Limit,
  then: "idle" | "busy" = "idle",
): Promise<StartedSubject> {
  await using opened = new AsyncDisposableStack();
  const user = world.server.newUser();
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, limit);
  const sidecar = opened.use(new Sidecar(world.bench, subject.name, subject.program, args));
  await untilWatching(world, user, sidecar);
  if (then === "idle") await untilIdle(sidecar);
  const running = opened.move();
  return { user, sidecar, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Listing what exists at the start must not count as work on what is created later. */
async function untilIdle(sidecar: Sidecar): Promise<void> {
  for (let before = Number.NaN; !(sidecar.cpuSeconds - before < 0.05); ) {
    before = sidecar.cpuSeconds;
    await sleep(1_000);
    sidecar.check();
  }
}
