import { silentLogger, systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import {
  createClient,
  defaultElectionTiming,
  ignoreNotFound,
  isAlreadyExists,
  LeaderElector,
  Lease,
  type LeaseClient,
  TransportError,
  type V1Lease,
} from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import type { LeadershipEnd, LeadOptions, LegacyLease } from "../leadership.ts";
import { lead } from "../lease-candidate.ts";
import { withoutDeadlines } from "./without-deadlines.ts";

export const namespace = "default";
export const consolidated = "csi-sidecars-driver-example-com";

export const attacherLease: LegacyLease = {
  controller: "attacher",
  sidecar: "csi-attacher",
  name: "external-attacher-leader-driver-example-com",
};
export const resizerLease: LegacyLease = { controller: "resizer", sidecar: "csi-resizer", name: "external-resizer-driver-example-com" };
export const legacyLeases = [attacherLease, resizerLease];

/** What happened to one candidacy. */
export interface Candidate {
  readonly leadership: ReturnType<typeof lead>;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly events: string[];
  readonly terminationLog: string[];
  readonly registry: Registry;
  readonly stop: AbortController;
  /** Set when work may begin. */
  started: AbortSignal | undefined;
  end: LeadershipEnd | undefined;
}

/** Candidates and legacy sidecars around one API server; all of them live by the same clock, which only moves between requests. */
export class LeadershipWorld {
  readonly clock = new FakeClock();
  /** What was asked for, in the order of asking. */
  readonly calls: string[] = [];
  readonly #cluster: Cluster;
  readonly #stops: AbortController[] = [];
  #inFlight = 0;
  #installed: Promise<unknown> | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Counts the requests that are under way. `loseAnswerTo`: the answer to the first update of that lease never arrives. */
  client({ token, loseAnswerTo }: { token?: string; loseAnswerTo?: string } = {}): LeaseClient {
    const client = withoutDeadlines(token === undefined ? this.#cluster.admin : this.#clientOf(token));
    let lossesLeft = loseAnswerTo === undefined ? 0 : 1;
    const counted = async <R>(call: string, work: () => Promise<R>): Promise<R> => {
      this.calls.push(call);
      this.#inFlight++;
      try {
        if (call === `get ${consolidated}`) await this.#install();
        const answer = await work();
        if (call === `update ${loseAnswerTo}` && lossesLeft-- > 0) throw new TransportError("timeout", "no answer in time");
        return answer;
      } finally {
        this.#inFlight--;
      }
    };
    return {
      get: (resource, ref, options) => counted(`get ${ref.name}`, () => client.get(resource, ref, options)),
      create: (resource, object, options) => counted(`create ${object.metadata?.name}`, () => client.create(resource, object, options)),
      update: (resource, object, options) => counted(`update ${object.metadata?.name}`, () => client.update(resource, object, options)),
    };
  }

  /** Creates the lease that candidates run for, unless it exists: who has to create it itself waits before it acts. */
  #install(): Promise<unknown> {
    const free: V1Lease = { metadata: { namespace, name: consolidated } };
    this.#installed ??= this.#cluster.admin
      .create(Lease, free)
      .catch((error) => (isAlreadyExists(error) ? undefined : Promise.reject(error)));
    return this.#installed;
  }

  #clientOf(token: string): LeaseClient {
    const transport = this.#cluster.transport(token);
    return createClient({ transport, clock: systemClock, log: silentLogger, name: "candidate", qps: -1, burst: 0 });
  }

  candidate(change: Partial<LeadOptions> = {}): Candidate {
    const stop = new AbortController();
    this.#stops.push(stop);
    const log = recordingLogger();
    const registry = change.registry ?? new Registry();
    const events: string[] = [];
    const terminationLog: string[] = [];
    const partial = { log, registry, events, terminationLog, stop, started: undefined, end: undefined };
    const leadership = lead({
      client: this.client(),
      lease: { namespace, name: consolidated },
      identity: "pod-a",
      timing: defaultElectionTiming,
      labels: {},
      controllers: ["resizer", "attacher"],
      migration: { mode: "exit", leases: legacyLeases },
      mayRelease: () => true,
      writeTerminationLog: (message) => terminationLog.push(message),
      events: { event: (about, type, reason, message) => void events.push(`${about.kind} ${about.name} ${type} ${reason} ${message}`) },
      clock: this.clock,
      log,
      random: () => 0.5,
      signal: stop.signal,
      started: (signal) => {
        candidate.started = signal;
      },
      ...change,
      registry,
    });
    const candidate: Candidate = { ...partial, leadership };
    void leadership.ended.then((end) => {
      candidate.end = end;
    });
    return candidate;
  }

  /** A sidecar as upstream ships it: it renews until it is told to die, and then leaves its lease as it is. */
  legacySidecar(lease: LegacyLease, identity: string): { die(): void } {
    const death = new AbortController();
    this.#stops.push(death);
    const elector = new LeaderElector({
      client: this.client(),
      lease: { namespace, name: lease.name },
      identity,
      clock: this.clock,
      random: () => 0,
    });
    void elector.run(death.signal);
    return { die: () => death.abort() };
  }

  lease(name: string): Promise<V1Lease | undefined> {
    return ignoreNotFound(this.#cluster.admin.get(Lease, { namespace, name }));
  }

  async createLease(name: string, spec: V1Lease["spec"], annotations?: Record<string, string>): Promise<void> {
    await this.#cluster.admin.create(Lease, { metadata: { namespace, name, annotations }, spec });
  }

  /** Lets all requests end without moving time. */
  async settle(): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (let quiet = 0; quiet < 3; ) {
      await this.clock.advance(0);
      quiet = this.#inFlight === 0 ? quiet + 1 : 0;
      if (this.#inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      if (performance.now() > deadline) throw new Error("requests do not end");
    }
  }

  /** Moves time on, from timer to timer; each finds all requests of the ones before it answered. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.monotonic() + ms;
    await this.settle();
    while (this.clock.monotonic() + (this.clock.nextIn ?? Number.POSITIVE_INFINITY) <= until) {
      await this.clock.advance(this.clock.nextIn ?? 0);
      await this.settle();
    }
    await this.clock.advance(until - this.clock.monotonic());
  }

  /** Passes time until something is so; answers how many milliseconds it took. */
  async until(what: string, happened: () => boolean, limitMs = 300_000): Promise<number> {
    const start = this.clock.monotonic();
    await this.settle();
    while (!happened()) {
      if (this.clock.monotonic() - start > limitMs || this.clock.nextIn === undefined) throw new Error(`did not happen: ${what}`);
      await this.pass(this.clock.nextIn);
    }
    return this.clock.monotonic() - start;
  }

  /** Ends everybody. Whatever they did, nobody patched a lease: deployed roles do not allow it. */
  async end(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    await this.settle();
    const patches = await this.#cluster.requests({ verb: "patch", resource: "leases" });
    if (patches.length > 0) throw new Error(`${patches.length} requests patched leases`);
  }
}
