import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { InvolvedObject } from "../../events/event-object.ts";
import { TransportError } from "../../transport/transport.ts";
import { electionMetrics } from "../election-metrics.ts";
import { LeaderElector } from "../leader-elector.ts";
import type { LeaderElectorOptions } from "../leader-elector-options.ts";
import { type Disturbance, FakeLeaseStore, type LeaseVerb } from "./fake-lease-store.ts";

/** The Lease that all compete for. */
export const ref = { namespace: "csi", name: "lease" };

/** A candidate that runs, with everything it was told and said. Without a store of its own it finds a Lease that nobody holds. */
export function setUp(
  options: Partial<LeaderElectorOptions> & { store?: FakeLeaseStore; clock?: FakeClock; disturbance?: Disturbance } = {},
) {
  const clock = options.clock ?? new FakeClock();
  const store = options.store ?? storeWith({});
  const log = recordingLogger();
  const events: string[] = [];
  const registry = new Registry();
  const said: string[] = [];
  let leader: string | undefined;
  const elector = new LeaderElector({
    client: store.client(options.disturbance),
    lease: ref,
    identity: "me",
    clock,
    log,
    random: () => 0,
    events: {
      event: (about: InvolvedObject, type, reason, message) =>
        void events.push(`${about.apiVersion} ${about.kind} ${about.name} ${type} ${reason} ${message}`),
    },
    metrics: electionMetrics(registry),
    onStartedLeading: (_, signal) => {
      said.push("started");
      signal.addEventListener("abort", () => said.push("aborted"));
    },
    onStoppedLeading: () => said.push("stopped"),
    onObserved: ({ spec }) => {
      if (spec?.holderIdentity !== leader) said.push(`leader ${spec?.holderIdentity}`);
      leader = spec?.holderIdentity;
    },
    ...options,
  });
  const stop = new AbortController();
  const end = elector.run(stop.signal);
  const metric = async (name: string) => (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));
  return { clock, store, log, events, said, elector, stop, end, metric };
}

/** A spec that somebody else holds. */
export const theirs = (holderIdentity: string, change: object = {}) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: "2025-12-31T23:00:00.000000Z",
  renewTime: "2025-12-31T23:59:59.000000Z",
  leaseTransitions: 4,
  ...change,
});

/** An API server with such a Lease. */
export function storeWith(spec: object): FakeLeaseStore {
  const store = new FakeLeaseStore();
  store.edit((lease) => {
    lease.spec = spec;
  });
  return store;
}

/** Calls fail while this is on. */
export function outage() {
  const state = { on: false };
  return { state, before: () => (state.on ? Promise.reject(new TransportError("reset", "connection reset")) : undefined) };
}

/** Resolves never, rejects when the signal aborts. */
export function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** A call of this verb hangs, as on a connection that died: it ends with the signal, or after the call's own timeout once that is armed. */
export function hangOnce(verb: LeaseVerb, which: "first" | "second" = "first") {
  let passed = which === "first" ? 1 : 0;
  let clock: FakeClock | undefined;
  return {
    /** A renewal that starts half-way to its deadline has a third of 10 s for a request. */
    arm(on: FakeClock) {
      clock = on;
    },
    before(called: LeaseVerb, signal: AbortSignal | undefined) {
      if (called !== verb || ++passed !== 2) return undefined;
      const timeout = clock?.sleep(3_334).then(() => Promise.reject(new TransportError("timeout", "timeout")));
      return timeout ? Promise.race([timeout, aborted(signal)]) : aborted(signal);
    },
  };
}
