import type { V1Lease } from "@csi-sidecars/kube";
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
  onBlocked(blocking: readonly BlockingLease[]): void;
  /** Aborts when the consolidated lease is lost or the process is to end. */
  readonly signal: AbortSignal;
}

export type MigrationEnd = { readonly end: "migrated" } | { readonly end: "blocked" } | { readonly end: "aborted" };

const retryMs = 10_000;
const minPauseMs = 1_000;

/**
 * Makes sure that no legacy sidecar runs: seizes all their leases, marks the consolidated lease, releases them. All or nothing:
 * whatever happens, no lease stays ours.
 */
export async function migrate(options: MigrationOptions): Promise<MigrationEnd> {
  const { clock, log, leases, signal, mode } = options;
  const taken = new Set<LegacyLease>();
  const release = async () => {
    const ours = [...taken];
    taken.clear();
    await Promise.all(ours.map((lease) => releaseSeized(refOf(lease, options), options)));
  };
  log.info("Seizing the leases of legacy sidecars", { leases: leases.map(({ name }) => name) });
  try {
    for (;;) {
      const blocking = await seizeAll(options, taken);
      if (blocking.length === 0) break;
      await release();
      signal.throwIfAborted();
      options.onBlocked(blocking);
      if (mode === "exit") return { end: "blocked" };
      await clock.sleep(retryMs, signal);
    }
    await options.annotate();
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

/** On the consolidated lease: the migration was completed. */
export const statusAnnotation = "migration.csi.k8s.io/status";
/** The components for which that was checked; all of them when it is absent. */
export const migratedAnnotation = "migration.csi.k8s.io/controllers";

const completed = "completed";

/** The legacy leases that were not migrated yet: all at first, later those of components that were added. */
export function unmigrated(lease: V1Lease, leases: readonly LegacyLease[]): readonly LegacyLease[] {
  const done = migratedIn(lease);
  return done === "all" ? [] : leases.filter(({ controller }) => !done.has(controller));
}

/** The annotations of the consolidated lease after the leases of these components were seized. */
export function migrationMarker(lease: V1Lease, controllers: readonly string[]): Readonly<Record<string, string>> {
  const done = migratedIn(lease);
  const union = new Set([...(done === "all" ? [] : done), ...controllers]);
  return { [statusAnnotation]: completed, [migratedAnnotation]: [...union].sort().join(",") };
}

function migratedIn(lease: V1Lease): ReadonlySet<string> | "all" {
  const annotations = lease.metadata?.annotations ?? {};
  if (annotations[statusAnnotation] !== completed) return new Set();
  const list = annotations[migratedAnnotation];
  if (!list) return "all";
  return new Set(
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
}
