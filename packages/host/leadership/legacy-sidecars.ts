import type { LeaderElector, V1Lease } from "@csi-sidecars/kube";
import { firstOf, unlessAborted } from "../signals.ts";
import { type BlockingLease, logThrottle, obstacleText, type ReportOptions, reportBlocking } from "./blocking-leases.ts";
import type { LeadOptions, LegacyLease } from "./leadership.ts";
import { migrate } from "./lease-migration.ts";
import { LegacyLeaseWatch, legacyLeaseGauge } from "./legacy-lease-watch.ts";
import { isMigrationIdentity, migrationIdentity } from "./migration-identity.ts";
import { migrationMarker, unmigrated, withdrawnMarker } from "./migration-marker.ts";

type Migration = NonNullable<LeadOptions["migration"]>;
type Elector = Pick<LeaderElector, "annotate" | "lease" | "mayAct">;

/** The longest that a request about a legacy lease may take: a process that is asked to end waits for a write and for a release. */
const maxRequestMs = 5_000;

/** The sidecars that this process replaces: makes sure that none runs before work begins, and notices when one comes back. */
export class LegacySidecars {
  readonly #options: LeadOptions;
  readonly #elector: Elector;
  readonly #mode: Migration["mode"];
  readonly #leases: readonly LegacyLease[];
  readonly #watch: LegacyLeaseWatch;
  readonly #held: (lease: string, held: boolean) => void;
  #blocked: string | undefined;
  #waitingFor: string | undefined;

  constructor(options: LeadOptions, { mode, leases }: Migration, elector: Elector) {
    this.#options = options;
    this.#elector = elector;
    this.#mode = mode;
    // A legacy lease that the user chose as the consolidated one is ours as long as we lead, and cannot block.
    this.#leases = leases.filter(({ name }) => name !== options.lease.name);
    this.#watch = new LegacyLeaseWatch({ ...this.#requests(), leases: this.#leases, isOurs: (holder) => this.#isOurs(holder) });
    this.#held = legacyLeaseGauge(options.registry);
  }

  /** Why this process has to end, once it is known that one runs; it was reported. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** Which legacy leases keep work from beginning. */
  get waitingFor(): string | undefined {
    return this.#waitingFor;
  }

  /** Whether none is left. `lease`: the consolidated one as it was acquired. */
  async areGone(lease: V1Lease, leading: AbortSignal): Promise<boolean> {
    const { signal: ends, done } = firstOf(leading, this.#options.signal);
    try {
      const fresh = unmigrated(lease, this.#leases);
      const migrated = this.#leases.filter((each) => !fresh.includes(each));
      const back = await this.#watch.mayBeHeld(migrated, ends);
      const todo = this.#leases.filter((each) => fresh.includes(each) || back.includes(each));
      if (todo.length > 0 && !(await this.#migrate(todo, lease, ends))) return false;
      for (const { name } of this.#leases) this.#held(name, false);
      return !ends.aborted;
    } finally {
      done();
    }
  }

  /** Resolves with whether one came back while we lead; `onBack` is called at once, before that is written down. */
  async comeBack(leading: AbortSignal, onBack: (reason: string) => void): Promise<boolean> {
    const blocking = this.#leases.length > 0 ? await this.#watch.heldAgain(leading) : [];
    if (blocking.length === 0) return false;
    for (const { lease } of blocking) this.#held(lease.name, true);
    onBack(this.#endBecauseOf(blocking));
    await this.#withdrawMarker(blocking);
    return true;
  }

  async #migrate(leases: readonly LegacyLease[], lease: V1Lease, signal: AbortSignal): Promise<boolean> {
    const { clock, controllers, identity, lease: ours, random = Math.random } = this.#options;
    const throttle = logThrottle(clock);
    const names = leases.map(({ name }) => `${this.#options.lease.namespace}/${name}`);
    this.#waitingFor = `it is made sure that no legacy sidecar holds its lease: ${names.join(", ")}`;
    const { end } = await migrate({
      ...this.#requests(),
      mode: this.#mode,
      leases,
      me: migrationIdentity(identity, ours.name, random),
      // A leader that was suspended must not take from its successor.
      isOurs: (holder) => this.#isOurs(holder) && this.#elector.mayAct(),
      annotate: () => this.#elector.annotate(migrationMarker(lease, controllers ?? leases.map(({ controller }) => controller))),
      onBlocked: async (blocking) => {
        for (const { name } of leases)
          this.#held(
            name,
            blocking.some((each) => each.lease.name === name),
          );
        this.#waitingFor = blocking.map((each) => obstacleText(each, this.#options.lease.namespace)).join("; ");
        await this.#withdrawMarker(blocking);
        if (this.#mode === "exit") this.#endBecauseOf(blocking);
        else if (throttle.isDue(JSON.stringify(blocking))) reportBlocking(blocking, "wait", this.#reportOptions());
      },
      signal,
    });
    this.#waitingFor = undefined;
    return end === "migrated";
  }

  /** The next leader, of whatever version, is not to trust a migration that was rolled back. */
  async #withdrawMarker(blocking: readonly BlockingLease[]): Promise<void> {
    const { log, signal } = this.#options;
    const back = blocking.filter(({ obstacle }) => obstacle.state === "held").map(({ lease }) => lease.controller);
    const known = this.#leases.map(({ controller }) => controller);
    const marker = withdrawnMarker(this.#elector.lease ?? {}, known, back);
    if (!marker) return;
    const written = this.#elector.annotate(marker).catch((error) => log.error(error, "Failed to withdraw the marker of the migration"));
    await unlessAborted(signal, written);
  }

  #isOurs(holder: string): boolean {
    return isMigrationIdentity(holder, this.#options.lease.name);
  }

  #endBecauseOf(blocking: readonly BlockingLease[]): string {
    this.#blocked = reportBlocking(blocking, "restart", this.#reportOptions());
    return this.#blocked;
  }

  #reportOptions(): ReportOptions {
    const { events, lease, log, writeTerminationLog } = this.#options;
    return {
      namespace: lease.namespace,
      log,
      writeTerminationLog,
      lease: () => this.#elector.lease ?? { metadata: { ...lease } },
      ...(events && { events }),
    };
  }

  #requests() {
    const { client, clock, lease, log, timing } = this.#options;
    return {
      ...{ client, clock, log, namespace: lease.namespace, retryPeriodMs: timing.retryPeriodMs },
      timeoutMs: Math.min(maxRequestMs, (timing.renewDeadlineMs * 2) / 3),
    };
  }
}
