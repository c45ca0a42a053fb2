import type { Clock, Logger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import type { Availability, DriverCapabilities, DriverClient, OperationMetrics, VolumeLists } from "@csi-sidecars/csi";
import type {
  Client,
  Environment,
  EventRecorder,
  EventSourceOptions,
  Informers,
  LoadConfigOptions,
  WorkQueueMetrics,
} from "@csi-sidecars/kube";
import type { ExitCode } from "./flags/exit-code.ts";
import type { FlagTable, FlagValues } from "./flags/flag.ts";
import type { FlagOwner } from "./flags/program.ts";
import type { Gates, GateTable } from "./gates/feature-gates.ts";
import type { HealthCheck } from "./http/routes.ts";
import type { KindNeed } from "./kind-need.ts";
import type { ClientLimit } from "./kube/kube-access.ts";
import type { RbacRules } from "./rbac-rules.ts";
import type { ConditionReport, VolumeCondition } from "./volume-conditions.ts";
import type { MessageRemedy, OperationReport, VolumeOperation } from "./volume-operations.ts";

/**
 * Everything the process knows about a sidecar. `packages/host` is generic over it: a new component is a new descriptor, never a new
 * branch there.
 */
export interface Component<Table extends FlagTable = FlagTable> extends FlagOwner<Table> {
  /** Its individual program: `csi-attacher`. */
  readonly standalone: string;
  /** The release of upstream's program whose behaviour it reproduces. */
  readonly upstreamVersion?: string;
  /**
   * `required`: runs in the leader only; all such components of a process share one lease. `own`: runs in the leader of a lease of its own,
   * the one of its individual program ({@link Component.legacyLease}) in every program: for a component that belongs to no driver, so that
   * all processes that run it elect one. `none`: runs in every replica, from the start.
   */
  readonly leadership: "required" | "own" | "none";
  /** Whether it talks to the API server. A process of components that do not needs no credentials. */
  readonly kube: boolean;
  /**
   * What must be known of the driver before it starts: nothing, its name, or that it is ready with its capabilities. A component
   * that needs a `ready` driver is restarted when the driver was lost and comes back with other capabilities; the others keep running.
   * `none`: it has nothing to do with a driver; a process of such components connects to none.
   */
  readonly driver: DriverNeed;
  /**
   * Whether the kubelet asks through it if the driver is alive: then nothing that the driver does may end the process. It waits for the
   * driver forever, and `auto` means `wait` for `--leader-election-migration`.
   */
  readonly servesDriverLiveness?: boolean;
  readonly gates?: GateTable;
  /** When KUBECONFIG counts in its individual program, where that differs from the other sidecars. */
  readonly kubeconfigVariable?: LoadConfigOptions["kubeconfigVariable"];
  /** The name, before sanitizing, of the lease that its individual program holds. `driver` is empty where it has an election of its own. */
  legacyLease?(driver: string): string;
  /** The operations on volumes that it is responsible for, with what it says about them. */
  readonly operations?: Readonly<Partial<Record<VolumeOperation, OperationReport>>>;
  /** The conditions of volumes that it watches, with what it says about them. */
  readonly conditions?: Readonly<Partial<Record<VolumeCondition, ConditionReport>>>;
  /** What to do about the messages that it writes; the first that fits counts. */
  readonly remedies?: readonly MessageRemedy[];
  /** Time limit of the calls that ask the driver's name and capabilities, as upstream's program has it; only without a driver it needs none. */
  identityTimeoutMs?(flags: FlagValues<Table>): number;
  /** Why it cannot serve this driver: such a component is disabled, or ends the process if it is the only one. */
  unsupported?(context: Pick<ComponentContext<Table>, "driver" | "flags" | "gates">): Promise<string | undefined>;
  /**
   * The finalizer that it puts on every PersistentVolume of the driver before it works with it, if it does. A component that creates volumes
   * sets it on them at once ({@link ComponentContext.volumeFinalizers}), which saves a request for each.
   */
  volumeFinalizer?(driver: Pick<Driver, "name" | "capabilities">): Promise<string | undefined>;
  /** What its flags need of the process's environment and is not there, one message each: such a process does not start. */
  missingEnvironment?(flags: FlagValues<Table>, surroundings: Pick<ComponentContext, "env" | "flagName">): readonly string[];
  /** The custom kinds it works with. They may be installed later: it waits for them. */
  readonly kinds?: readonly KindNeed[];
  /** The rules it needs, with those of the features that its flags enable. */
  rbac(flags: FlagValues<Table>): RbacRules;
  /** The exit code of a process that has nothing to run: nothing is opened or started then. Asked when the flags are valid. */
  exitEarly?(flags: FlagValues<Table>): ExitCode | undefined;
  /** A listener of its own for its `/healthz` and the metrics, beside the process's HTTP endpoint. */
  ownEndpoint?(flags: FlagValues<Table>, beside: EndpointQuestions): Endpoint | undefined;
  /** A listener of its own for the metrics alone. */
  ownMetricsEndpoint?(flags: FlagValues<Table>): Endpoint | undefined;
  /** Whose check answers plain `/healthz` on the shared endpoint: the highest of the enabled components. */
  readonly healthPrecedence?: number;
  /** Resolves when it runs; what it started ends after `context.signal` aborts, and then `done` settles. */
  start(context: ComponentContext<Table>): Promise<Running>;
}

/** What a component may ask when it decides where it is served. */
export interface EndpointQuestions {
  /** The process's own HTTP server; empty for none. */
  readonly httpEndpoint: string;
  /** Whether the component's flag was given. */
  explicit(flag: string): boolean;
}

export interface Running {
  /** Resolves after a requested stop when all work in flight has ended; rejects when the component fails by itself. */
  readonly done: Promise<void>;
}

/** Everything a component gets: it reads no environment, opens no connection and knows no other component. */
export interface ComponentContext<Table extends FlagTable = FlagTable> {
  readonly flags: FlagValues<Table>;
  readonly gates: Gates;
  readonly driver: Driver;
  /**
   * A client with the component's own token bucket. Writes are refused, and those in flight canceled, as soon as leadership is no longer
   * certain, so nothing a component does can overlap with the next leader. The same holds for calls to the driver and for events.
   */
  readonly kube: Client;
  /**
   * A further client, guarded like {@link ComponentContext.kube}, with a token bucket of its own: for requests that must not hold up
   * the component's work.
   */
  kubeFor(purpose: string, limit: ClientLimit): Client;
  /** The process's shared caches; what the component uses is released when it stops. */
  readonly informers: Informers;
  /** Events from the given source component. */
  events(source: string, options?: EventSourceOptions): EventRecorder;
  readonly metrics: Registry;
  readonly queueMetrics: WorkQueueMetrics;
  /** Named after the component. */
  readonly log: Logger;
  readonly clock: Clock;
  readonly env: Environment;
  /** Answers `/healthz/<name>`, the component's own endpoint and, by precedence, `/healthz`. */
  health(check: HealthCheck): void;
  /** Aborts when the component is to stop: take no new work, finish what runs. */
  readonly signal: AbortSignal;
  /** Aborts when what runs is not to be finished: leadership was lost. The workers of a `Controller` pass it on to their reconciles. */
  readonly abort: AbortSignal;
  /** Whether it is the only component of the process: then a failure ends the process, as upstream's program would. */
  readonly isOnlyComponent: boolean;
  /** What the other components of the process want on a new PersistentVolume of the driver. */
  volumeFinalizers(): Promise<readonly string[]>;
  /**
   * What an earlier run of the component in this process has kept, else `first`: for what must not be forgotten when the component is
   * restarted or fails.
   */
  keep<T>(first: () => T): T;
  /** How a flag of the component was typed, else how this program calls it, without dashes: for messages. */
  flagName(flag: string): string;
}

/** See {@link Component.driver}; each includes the ones before it. */
export type DriverNeed = "none" | "unknown" | "named" | "ready";

/** Where to listen, and the component's flag (bare name) that sets it: for the message when it fails. */
export interface Endpoint {
  /** As Go has it: `host:port`, `:port`, `[::1]:port`. */
  readonly address: string;
  readonly flag: string;
  /** Whether the metrics are served there too: yes by default. */
  readonly metrics?: boolean;
}

/** The driver as a component sees it. */
export interface Driver {
  readonly address: string;
  /** `unknown-driver` as long as it is not known. */
  readonly name: string;
  /**
   * Calls with side effects are refused as soon as leadership is no longer certain. While the driver is away, calls of a component that
   * needs it `ready` wait for it, as long as their time limit allows; then they fail with Unavailable.
   */
  readonly client: DriverClient;
  /** Do not change while the component runs: it is restarted when the driver comes back with other ones. */
  readonly capabilities: DriverCapabilities;
  /** Whether the driver is away: for work that is better not begun then. */
  readonly availability: Availability;
  /** Lists of its volumes that the components of the process share. */
  readonly volumeLists: VolumeLists;
  /** Where a component counts calls that it makes over connections of its own; those of `client` are counted already. */
  readonly operations?: OperationMetrics;
}

/** Declares a component; the types of its flags follow from the table. */
export function component<const Table extends FlagTable>(descriptor: Component<Table>): Component<Table> {
  return descriptor;
}
