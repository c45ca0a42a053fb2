import { systemClock } from "@csi-sidecars/base";
import { seededRandom } from "@csi-sidecars/base/testing";
import type { Replica } from "../leadership/testing/replica.ts";

/** What happens to a replica at random. */
export type DisturbanceKind =
  | "suspended"
  | "killed"
  | "terminated"
  | "API frozen"
  | "API refused"
  | "API cut"
  | "driver frozen"
  | "driver refused"
  | "driver cut";

/** One disturbance, in monotonic milliseconds. */
export interface Disturbance {
  readonly replica: string;
  readonly kind: DisturbanceKind;
  readonly from: number;
  /** When it was over; infinity while it lasts. */
  to: number;
}

/** How a disturbance begins and ends. One that needs no end is over at once. */
interface Step {
  begin(replica: Replica): unknown;
  end(replica: Replica): unknown;
}

const restart = (signal: "SIGKILL" | "SIGTERM"): Step => ({
  begin: (replica) => replica.process.end(signal),
  end: (replica) => replica.start(),
});
const nothing = () => {};

const steps: Readonly<Record<DisturbanceKind, Step>> = {
  suspended: { begin: (replica) => replica.suspend(), end: (replica) => replica.resume() },
  killed: restart("SIGKILL"),
  terminated: restart("SIGTERM"),
  "API frozen": { begin: ({ api }) => api.freeze(), end: ({ api }) => api.thaw() },
  "API refused": { begin: ({ api }) => api.close(), end: ({ api }) => api.open() },
  "API cut": { begin: ({ api }) => api.cut(), end: nothing },
  "driver frozen": { begin: ({ driver }) => driver.freeze(), end: ({ driver }) => driver.thaw() },
  "driver refused": { begin: ({ driver }) => driver.close(), end: ({ driver }) => driver.open() },
  "driver cut": { begin: ({ driver }) => driver.cut(), end: nothing },
};

/** How often each happens, in comparison. */
const weights: Readonly<Record<DisturbanceKind, number>> = {
  suspended: 3,
  killed: 2,
  terminated: 1,
  "API frozen": 3,
  "API refused": 2,
  "API cut": 1,
  "driver frozen": 2,
  "driver refused": 1,
  "driver cut": 1,
};
const kinds = (Object.keys(weights) as DisturbanceKind[]).flatMap((kind) => Array<DisturbanceKind>(weights[kind]).fill(kind));

/** The lease of the replicas lasts 3 s: two disturbances in three last longer. */
const shortestMs = 500;
const longestMs = 8_000;
const longestPauseMs = 3_000;

/**
 * Disturbs every replica until the time is over, each independently of the others, and heals them. A container that ends by itself is
 * started again, as the kubelet does. Everything that was done is added to `log`.
 */
export async function disturb(replicas: readonly Replica[], seed: number, spanMs: number, log: Disturbance[]): Promise<void> {
  const end = performance.now() + spanMs;
  await Promise.all(
    replicas.map(async (replica, i) => {
      const random = seededRandom(seed + i);
      for (;;) {
        await systemClock.sleep(random() * longestPauseMs);
        const kind = kinds[Math.floor(random() * kinds.length)] ?? "killed";
        const lastsMs = shortestMs + random() * (longestMs - shortestMs);
        replica.start();
        if (performance.now() >= end) return;
        await disturbOnce(replica, kind, Math.min(lastsMs, end - performance.now()), log);
      }
    }),
  );
}

async function disturbOnce(replica: Replica, kind: DisturbanceKind, lastsMs: number, log: Disturbance[]): Promise<void> {
  const disturbance: Disturbance = { replica: replica.name, kind, from: performance.now(), to: Number.POSITIVE_INFINITY };
  log.push(disturbance);
  await steps[kind].begin(replica);
  if (steps[kind].end !== nothing) await systemClock.sleep(lastsMs);
  await steps[kind].end(replica);
  disturbance.to = performance.now();
}
