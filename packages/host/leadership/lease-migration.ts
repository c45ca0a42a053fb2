import { unlessAborted } from "../signals.ts";
import { type BlockingLease, blockingLeases } from "./blocking-leases.ts";
import type { LegacyLease } from "./leadership.ts";
import { isFresh, type LegacyLeaseState, releaseSeized, type SeizeContext, seizeStep } from "./seize-lease.ts";

export interface MigrationOptions extends SeizeContext {
  readonly namespace: string;
  readonly leases: readonly LegacyLease[];
  readonly mode: "exit" | "wait";
  readonly retryPeriodMs: number;
  /** Writes the marker to the consolidated lease; throws when that is not ours any more. */
  annotate(): Promise<unknown>;
  /** Leases block (called once in mode `exit`, in each round in mode `wait`). */
  onBlocked(blocking: readonly BlockingLease[]): Promise<void>;
}

export type MigrationEnd = { readonly end: "migrated" } | { readonly end: "blocked" } | { readonly end: "aborted" };

const retryMs = 10_000;
const minPauseMs = 1_000;

/**
 * Makes sure that no legacy sidecar runs: seizes all their leases, marks the consolidated lease, releases them. All or nothing:
 * whatever happens, no lease stays ours. After the signal it takes at most one write and one release longer, each {@link SeizeContext.timeoutMs}.
 */
export async function migrate(options: MigrationOptions): Promise<MigrationEnd> {
  const { clock, log, leases, signal, mode } = options;
  const taken = new Set<LegacyLease>();
  const release = async () => {
    const ours = [...taken];
    taken.clear();
    await Promise.all(ours.map((lease) => releaseSeized(refOf(lease, options), options)));
  };
  log.info("Making sure that no legacy sidecar holds its lease", { leases: leases.map(({ name }) => name) });
  try {
    for (;;) {
      const blocking = await seizeAll(options, taken);
      if (blocking.length === 0) break;
      await release();
      signal.throwIfAborted();
      await options.onBlocked(blocking);
      if (mode === "exit") return { end: "blocked" };
      await clock.sleep(retryMs, signal);
    }
    await unlessAborted(signal, options.annotate());
    signal.throwIfAborted();
    return { end: "migrated" };
  } catch (error) {
    log.info("The migration of legacy leases was aborted", { reason: String(error) });
    return { end: "aborted" };
  } finally {
    await release();
  }
}

/** Reads all leases, round by round, until all are free or seized at the same time, or some are known to block. */
async function seizeAll(options: MigrationOptions, taken: Set<LegacyLease>): Promise<readonly BlockingLease[]> {
  const { clock, leases, retryPeriodMs, signal } = options;
  let states: readonly LegacyLeaseState[] = leases.map(() => ({ state: "unread" }));
  for (;;) {
    signal.throwIfAborted();
    states = await Promise.all(
      leases.map((lease, at) => seizeStep(refOf(lease, options), states[at] ?? { state: "unread" }, options, () => void taken.add(lease))),
    );
    signal.throwIfAborted();
    const blocking = blockingLeases(leases, states);
    if (blocking.length > 0) return blocking;
    if (states.every((state) => state.state === "free" || isFresh(state, clock.monotonic()))) return [];
    await clock.sleep(Math.max(minPauseMs, retryPeriodMs), signal);
  }
}

function refOf({ name }: LegacyLease, { namespace }: MigrationOptions) {
  return { namespace, name };
}
