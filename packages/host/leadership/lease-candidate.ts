import { LeaderElector, type V1Lease } from "@csi-sidecars/kube";
import { firstOf } from "../signals.ts";
import { type BlockingLease, logThrottle, type ReportOptions, reportBlocking } from "./blocking-leases.ts";
import { controllersAnnotation, controllersText, warnAboutOthers } from "./controllers-annotation.ts";
import type { Lead, Leadership, LeadershipEnd, LeadOptions } from "./leadership.ts";
import { migrate, migrationMarker, unmigrated } from "./lease-migration.ts";
import { legacyLeaseGauge, watchLegacyLeases } from "./legacy-lease-watch.ts";

/** Runs for the lease of a process, and makes sure before work begins that no legacy sidecar runs. See {@link LeadOptions}. */
export const lead: Lead = (options) => new LeaseCandidate(options);

type Migration = NonNullable<LeadOptions["migration"]>;

class LeaseCandidate implements Leadership {
  readonly ended: Promise<LeadershipEnd>;
  readonly #options: LeadOptions;
  readonly #elector: LeaderElector;
  /** Ends the election: later than asked to, where legacy leases have to be released first. */
  readonly #election = new AbortController();
  readonly #migration: Migration | undefined;
  readonly #held: (lease: string, held: boolean) => void;
  #preparing: Promise<void> = Promise.resolve();
  #watching: Promise<void> = Promise.resolve();
  #started = false;
  #legacy: string | undefined;

  constructor(options: LeadOptions) {
    const { controllers, events, metrics, random } = options;
    this.#options = options;
    this.#migration = options.migration && othersThan(options.lease.name, options.migration);
    this.#held = options.migration ? legacyLeaseGauge(options.registry) : () => {};
    this.#elector = new LeaderElector({
      client: options.client,
      lease: options.lease,
      identity: options.identity,
      timing: options.timing,
      labels: options.labels,
      clock: options.clock,
      log: options.log,
      ...(controllers && { annotations: { [controllersAnnotation]: controllersText(controllers) } }),
      ...(controllers && { onObserved: warnAboutOthers(controllers, options.identity, options.log) }),
      ...(events && { events }),
      ...(metrics && { metrics }),
      ...(random && { random }),
      // Where legacy sidecars kept the components from starting, no work can be in flight.
      mayRelease: () => (this.#legacy !== undefined && !this.#started) || options.mayRelease(),
      onStartedLeading: (lease, leading) => {
        this.#preparing = this.#begin(lease, leading);
      },
    });
    this.ended = this.#run();
  }

  mayAct(): boolean {
    return this.#elector.mayAct();
  }

  check(): Error | undefined {
    return this.#elector.check();
  }

  async #run(): Promise<LeadershipEnd> {
    const { signal } = this.#options;
    const stop = () => void this.#preparing.then(() => this.#election.abort(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const end = await this.#elector
      .run(this.#election.signal)
      .catch((error): LeadershipEnd => ({ reason: "lost", because: String(error) }));
    await this.#preparing;
    await this.#watching;
    signal.removeEventListener("abort", stop);
    return this.#legacy === undefined ? end : { reason: "legacy", because: this.#legacy };
  }

  /** Without legacy leases to seize, work begins before this first waits. */
  async #begin(lease: V1Lease, leading: AbortSignal): Promise<void> {
    const { signal } = this.#options;
    const migration = this.#migration;
    if (signal.aborted) return;
    const todo = migration ? unmigrated(lease, migration.leases) : [];
    if (migration && todo.length > 0 && !(await this.#migrate({ ...migration, leases: todo }, lease, leading))) return;
    if (signal.aborted || leading.aborted) return;
    this.#started = true;
    this.#options.started(leading);
    if (migration && migration.leases.length > 0) this.#watching = this.#watchLegacy(migration, leading);
  }

  /** Whether no legacy sidecar is left. If one is, this candidate gives up. */
  async #migrate({ mode, leases }: Migration, lease: V1Lease, leading: AbortSignal): Promise<boolean> {
    const { client, clock, controllers, log, signal } = this.#options;
    const throttle = logThrottle(clock);
    const { signal: ends, done } = firstOf(leading, signal);
    const controllersNow = controllers ?? leases.map(({ controller }) => controller);
    const { end } = await migrate({
      client,
      clock,
      log,
      mode,
      leases,
      ...this.#requestTiming(),
      me: this.#migrationIdentity(),
      annotate: () => this.#elector.annotate(migrationMarker(lease, controllersNow)),
      onBlocked: (blocking) => {
        for (const { name } of leases)
          this.#held(
            name,
            blocking.some((each) => each.lease.name === name),
          );
        if (mode === "exit") this.#endBecauseOf(blocking);
        else if (throttle.isDue(JSON.stringify(blocking))) reportBlocking(blocking, "wait", this.#reportOptions());
      },
      signal: ends,
    });
    done();
    if (end === "migrated") for (const { name } of leases) this.#held(name, false);
    if (end === "blocked") this.#election.abort();
    return end === "migrated";
  }

  async #watchLegacy({ leases }: Migration, leading: AbortSignal): Promise<void> {
    const { client, clock, log } = this.#options;
    for (const { name } of leases) this.#held(name, false);
    const blocking = await watchLegacyLeases({ client, clock, log, leases, ...this.#requestTiming(), signal: leading });
    if (blocking.length === 0) return;
    for (const { lease } of blocking) this.#held(lease.name, true);
    this.#endBecauseOf(blocking);
    this.#election.abort();
  }

  #endBecauseOf(blocking: readonly BlockingLease[]): void {
    this.#legacy = reportBlocking(blocking, "restart", this.#reportOptions());
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

  /** A single request may take two thirds of the renew deadline, as those of the election. */
  #requestTiming() {
    const { lease, timing } = this.#options;
    return { namespace: lease.namespace, retryPeriodMs: timing.retryPeriodMs, timeoutMs: (timing.renewDeadlineMs * 2) / 3 };
  }

  #migrationIdentity(): string {
    const { identity, random = Math.random } = this.#options;
    return `${identity}_csi-sidecars_${Math.floor(random() * 2 ** 40).toString(36)}`;
  }
}

/** A legacy lease that the user chose as the consolidated one is ours as long as we lead, and cannot block. */
function othersThan(name: string, { mode, leases }: Migration): Migration {
  return { mode, leases: leases.filter((lease) => lease.name !== name) };
}
