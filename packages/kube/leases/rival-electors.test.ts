import { expect, test } from "bun:test";
import type { Clock, Timer } from "@csi-sidecars/base";
import { FakeClock, seededRandom } from "@csi-sidecars/base/testing";
import { TransportError } from "../transport/transport.ts";
import { LeaderElector } from "./leader-elector.ts";
import { type Disturbance, FakeLeaseStore } from "./testing/fake-lease-store.ts";

/**
 * The clock of one process. Its wall time is off and can be set; while the process stands still none of its timers fires, and on a
 * machine that is paused its monotonic clock stands still as well.
 */
class ProcessClock implements Clock {
  readonly #world: FakeClock;
  #skewMs: number;
  #stalledUntil = 0;
  #pausedMs = 0;

  constructor(world: FakeClock, skewMs: number) {
    this.#world = world;
    this.#skewMs = skewMs;
  }

  now(): number {
    return this.#world.now() + this.#skewMs;
  }

  monotonic(): number {
    return this.#world.monotonic() - this.#pausedMs + 1e6;
  }

  setForward(ms: number): void {
    this.#skewMs += ms;
  }

  stall(ms: number): void {
    this.#stalledUntil = this.#world.monotonic() + ms;
  }

  pause(ms: number): void {
    this.stall(ms);
    this.#pausedMs += ms;
  }

  after(ms: number, fn: () => void): Timer {
    let timer: Timer;
    const arm = (delay: number) => {
      timer = this.#world.after(delay, () => {
        const rest = this.#stalledUntil - this.#world.monotonic();
        if (rest > 0) arm(rest);
        else fn();
      });
    };
    arm(ms);
    return { cancel: () => timer.cancel() };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = this.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  }
}

/** Calls take up to a second, some up to nine; some fail before they have an effect, some after. */
function disturbedBy(clock: Clock, random: () => number): Disturbance {
  const part = async (_: unknown, signal: AbortSignal | undefined) => {
    const dice = random();
    await clock.sleep(random() * (dice < 0.1 ? 9_000 : 1_000), signal);
    if (dice > 0.9) throw new TransportError("reset", "connection reset");
  };
  return { before: part, after: part };
}

/** What goes wrong with clocks. One that stood still and was set back by as much as that cannot be found out. */
type ClockTrouble = "paused" | "set";

/**
 * Three processes compete for five minutes, under names of their own or all under the same one, while their Lease is deleted again and
 * again; says how often the leader changed.
 */
async function rivals(random: () => number, names: readonly string[], trouble: ClockTrouble): Promise<{ changes: number }> {
  const world = new FakeClock();
  const store = new FakeLeaseStore();
  const stop = new AbortController();
  const processes = names.map((identity) => {
    const clock = new ProcessClock(world, (random() - 0.5) * 3_600_000);
    const elector = new LeaderElector({
      client: store.client(disturbedBy(clock, random)),
      lease: { namespace: "csi", name: "lease" },
      identity,
      clock,
      random,
      mayRelease: () => random() < 0.5,
    });
    const campaign = async () => {
      while (!stop.signal.aborted) await elector.run(stop.signal);
    };
    return { clock, elector, campaign: campaign() };
  });
  const oneOf = () => processes[Math.floor(random() * processes.length)]?.clock;
  let last: unknown;
  let changes = 0;
  for (let step = 0; step < 600; step++) {
    await world.advance(500);
    const acting = processes.filter(({ elector }) => elector.mayAct());
    expect(acting.length).toBeLessThanOrEqual(1);
    const [leader] = acting;
    if (leader && leader !== last) {
      last = leader;
      changes++;
    }
    if (random() < 0.02) oneOf()?.stall(random() * 40_000);
    if (random() < 0.01) store.delete();
    if (random() < 0.01 && trouble === "paused") oneOf()?.pause(random() * 60_000);
    if (random() < 0.01 && trouble === "set") oneOf()?.setForward((random() - 0.5) * 60_000);
  }
  stop.abort();
  const ended = Promise.all(processes.map(({ campaign }) => campaign));
  await world.advance(60_000);
  await ended;
  return { changes };
}

const stories: [name: string, names: readonly string[], trouble: ClockTrouble][] = [
  ["with names of their own, on machines that are paused", ["a", "b", "c"], "paused"],
  ["with names of their own, whose clocks are set", ["a", "b", "c"], "set"],
  ["with one name for all, on machines that are paused", ["a", "a", "a"], "paused"],
  ["with one name for all, whose clocks are set", ["a", "a", "a"], "set"],
];
test.each(stories)(
  "of three processes that stall, lose answers and lose their Lease, %s, never two may act",
  async (_, names, trouble) => {
    let changes = 0;
    for (let seed = 1; seed <= 24; seed++) changes += (await rivals(seededRandom(seed), names, trouble)).changes;
    expect(changes).toBeGreaterThan(48);
  },
  30_000,
);
