import type { ClusterOptions, DriverCall, DriverOptions } from "@csi-sidecars/testcluster";
import { changesSomething } from "../../../packages/testcluster/driver/methods.ts";
import { consolidatedLease, createFreeLease, holderOf, quickElection } from "../../e2e/testing/election.ts";
import { addNode } from "../../e2e/testing/objects.ts";
import { until } from "../../e2e/testing/until.ts";
import { startE2eWorld, type World } from "../../e2e/testing/world.ts";
import { addReplica, type Replica } from "./replica.ts";

export interface ReplicasOptions {
  readonly names?: readonly string[];
  /** For `--controllers`; the attacher unless given. */
  readonly controllers?: string;
  readonly flags?: readonly string[];
  readonly cluster?: ClusterOptions;
  readonly driver?: DriverOptions;
  /** Whether one of them creates the lease, and waits for its duration before it acts; otherwise it is there, and free. */
  readonly createLease?: boolean;
}

/** A cluster with one node, a driver that knows its callers, and replicas of the program. */
export interface Replicas extends World {
  readonly replicas: readonly Replica[];
  /** Waits until the lease names a running replica. `but`: this one does not count. */
  leader(but?: Replica): Promise<Replica>;
  /** The one that leads, and the first of the others. */
  elected(): Promise<{ readonly leader: Replica; readonly standby: Replica }>;
  /** The calls of one replica that change something. */
  callsBy(replica: Replica): readonly DriverCall[];
  /** Its requests that change something other than a Lease or an Event. */
  writesBy(replica: Replica): Promise<number>;
}

/**
 * Starts replicas that elect their leader in seconds.
 *
 * ```ts
 * await using world = await startReplicas();
 * const { leader, standby } = await world.elected();
 * leader.api.freeze();
 * expect(await world.leader(leader)).toBe(standby);
 * ```
 */
export async function startReplicas(options: ReplicasOptions = {}): Promise<Replicas> {
  const { names = ["replica-a", "replica-b"], controllers = "attacher", flags = [] } = options;
  await using started = new AsyncDisposableStack();
  const world = started.use(await startE2eWorld({ cluster: options.cluster, driver: { ...options.driver, callers: names } }));
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  if (!options.createLease) await createFreeLease(cluster, consolidatedLease);
  const replicas: Replica[] = [];
  for (const name of names)
    replicas.push(started.use(await addReplica(world, name, controllers, [...replicaFlags, "--timeout=5s", ...flags])));
  for (const replica of replicas) replica.start();
  const running = started.move();
  const leader: Replicas["leader"] = (but) =>
    until("a leader", async () => {
      const holder = await holderOf(cluster, consolidatedLease).catch(() => undefined);
      return replicas.find((replica) => replica !== but && replica.name === holder && replica.running);
    });
  return {
    ...world,
    replicas,
    leader,
    async elected() {
      const leads = await leader();
      const other = replicas.find((replica) => replica !== leads);
      if (!other) throw new Error("there is one replica only");
      return { leader: leads, standby: other };
    },
    callsBy: ({ name }) => driver.calls().filter(({ caller, method }) => caller === name && changesSomething(method)),
    async writesBy({ user }) {
      const requests = await cluster.requests({ user });
      return requests.filter(({ verb, resource }) => !reads.has(verb) && !bookkeeping.has(resource)).length;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const replicaFlags = [
  ...quickElection,
  "--http-endpoint=127.0.0.1:0",
  "--kube-api-qps=-1",
  "--retry-interval-start=100ms",
  "--retry-interval-max=500ms",
] as const;

const reads = new Set(["get", "list", "watch"]);
const bookkeeping = new Set(["leases", "events", "selfsubjectaccessreviews", "selfsubjectrulesreviews"]);
