import { type Clock, type Logger, type Permit, silentLogger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import {
  type Client,
  type ClientOptions,
  type ClusterConfig,
  clientMetrics,
  connect,
  createClient,
  EventBroadcaster,
  eventMetrics,
  InformerFactory,
  type LeaseClient,
  type RateLimit,
  type Transport,
} from "@csi-sidecars/kube";
import { guardedTransport } from "../leadership/write-guard.ts";
import { WorkMeter } from "./work-meter.ts";

export interface KubeAccessOptions {
  readonly config: ClusterConfig;
  readonly userAgent: string;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether lists are streamed. */
  readonly streaming: boolean;
  readonly eventLimit: RateLimit;
  readonly random: () => number;
  /** See {@link Interceptors.client}. */
  readonly wrapClient?: (client: Client, name: string) => Client;
  readonly freezeCaches?: boolean;
  /** Called when a reader of a cache threw, in that reader's context. */
  readonly onReaderError: () => void;
}

/** The token bucket of a client, and which flags set it. */
export interface ClientLimit extends RateLimit {
  /** Named in the log line about throttling; the flags of the component's own client by default. */
  readonly limitedBy?: string;
}

/** The API server as a process reaches it: one pool of connections, and a token bucket for each purpose. */
export interface KubeAccess {
  /** A component's client; its writes are sent only with a permit. */
  client(component: string, limit: ClientLimit, log: Logger, permit: Permit): Client;
  /** Informers that send nothing to the server before they are started. */
  informers(): InformerFactory;
  /** A client for one election: with a token bucket of its own, so that nothing delays a renewal. */
  election(): LeaseClient;
  readonly events: EventBroadcaster;
  close(): void;
}

/** Lists only: watches take no tokens. */
const informerLimit: RateLimit = { qps: 50, burst: 100 };
/** A renewal is at most a read and a write every retry period. */
const electionLimit: RateLimit = { qps: 5, burst: 10 };

export function kubeAccess(options: KubeAccessOptions): KubeAccess {
  const { config, userAgent, registry, clock, log, streaming, eventLimit, random, onReaderError } = options;
  const { wrapClient = (made) => made, freezeCaches: freeze = false } = options;
  const transport = connect(config, { userAgent, clock, log });
  const shared = { clock, metrics: clientMetrics(registry), host: new URL(config.server).host };
  const client = (name: string, limit: ClientLimit, clientLog: Logger, via: Transport = transport) => {
    const clientOptions: ClientOptions = { ...shared, ...limit, transport: via, log: clientLog, name };
    return wrapClient(createClient(clientOptions), name);
  };
  const meter = new WorkMeter(clock);
  const work = meter.metered(transport);
  const informerClient = client("informers", informerLimit, log);
  const events = new EventBroadcaster({
    client: client("events", eventLimit, silentLogger),
    metrics: eventMetrics(registry),
    working: meter.working,
    clock,
    log,
    random,
  });
  return {
    client: (component, limit, componentLog, permit) => client(component, limit, componentLog, guardedTransport(work, permit)),
    informers: () => new InformerFactory({ client: informerClient, clock, log, streaming, random, freeze, onError: onReaderError }),
    election: () => client("leader-election", electionLimit, log),
    events,
    close: () => transport.close(),
  };
}

const minEventLimit = { qps: 25, burst: 50 };
/** A volume that is provisioned is one request and two events. */
const eventsPerRequest = 2;
/** As many as are sent at once: see the broadcaster. */
const together = 10;

/**
 * The token bucket of the events of all components: enough to keep up with the fastest of them, so that few are lost in a long run of
 * work. Where a component has no limit the events have none either; only the number of their connections keeps them from delaying work.
 */
export function eventLimit(work: readonly RateLimit[]): RateLimit {
  if (work.some(({ qps }) => qps < 0)) return { qps: -1, burst: 0 };
  return {
    qps: Math.max(minEventLimit.qps, ...work.map(({ qps }) => qps * eventsPerRequest)),
    burst: Math.max(minEventLimit.burst, ...work.map(({ burst }) => burst * eventsPerRequest)),
    together,
  };
}
