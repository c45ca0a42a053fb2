import type { Clock } from "@csi-sidecars/base";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  type Client,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1StorageClass,
} from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type CrashPoint,
  type DriverOptions,
  fastFlags,
  HeldWatches,
  startComponentWorld,
  type TestedComponent,
} from "@csi-sidecars/testcluster";
import { provisioner } from "../component.ts";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { ProvisionerState } from "../provisioner-state.ts";
import { provisionerState, startProvisioner } from "../start.ts";
import { emptyState } from "./cached.ts";
import { nudge } from "./cluster-set-up.ts";
import { claim, customKinds, driverName, inDefault, storageClass } from "./manifests.ts";
import { secretsRule, upstreamRole } from "./upstream-role.ts";

export type Flags = ProvisionerComponentContext["flags"];

export interface WorldOptions {
  readonly driver?: DriverOptions;
  readonly flags?: Partial<Flags>;
  /** Beside the default ones. */
  readonly gatesOn?: readonly string[];
  readonly gatesOff?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly customKinds?: keyof typeof customKinds | readonly (keyof typeof customKinds)[];
  /** In place of the informers' client. */
  readonly informers?: (client: Client) => Client;
  /** Whether the binder and its companions run; yes unless told. */
  readonly controllers?: boolean;
  /** What the component's user may do; upstream's published role unless told. */
  readonly role?: readonly PolicyRule[] | "shipped";
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what a role says and no more. */
export interface ProvisionerWorld extends Omit<ComponentWorld, "add">, TestedComponent {
  /** What the running component knows beside its caches. */
  readonly state: ProvisionerState;
  /** What the search for deleted claims reads from the API server's history, which can be held. */
  readonly histories: Pick<HeldWatches, "hold" | "reached">;
  createClass(name?: string, members?: Partial<V1StorageClass>): Promise<V1StorageClass>;
  createClaim(
    name: string,
    spec?: Partial<NonNullable<V1PersistentVolumeClaim["spec"]>>,
    metadata?: V1PersistentVolumeClaim["metadata"],
  ): Promise<V1PersistentVolumeClaim>;
  deleteClaim(name: string): Promise<void>;
  bound(name: string): Promise<{ readonly claim: V1PersistentVolumeClaim; readonly volume: V1PersistentVolume }>;
  volumes(): Promise<V1PersistentVolume[]>;
  /** What the component asked of the API server one by one, without events: `create persistentvolumes`. */
  requests(): Promise<string[]>;
}

export async function startWorld(options: WorldOptions = {}): Promise<ProvisionerWorld> {
  await using opened = new AsyncDisposableStack();
  const {
    driver,
    customKinds: kinds = [],
    controllers = true,
    role = [...upstreamRole, secretsRule],
    flags,
    informers,
    ...others
  } = options;
  const base = opened.use(
    await startComponentWorld({
      cluster: { storageControllers: controllers, nodes: false },
      driver: { name: driverName, capabilities: "minimal", ...driver },
      definitions: [kinds].flat().flatMap((name) => customKinds[name]),
    }),
  );
  const { admin } = base;
  const histories = new HeldWatches();
  let state = emptyState();
  const observed: typeof provisioner = {
    ...provisioner,
    start(context) {
      state = provisionerState(context);
      return startProvisioner(context, state);
    },
  };
  const tested = await base.add(observed, {
    ...others,
    ...(role !== "shipped" && { role }),
    flags: { ...fastFlags, timeout: 2_000, snapshotOrphanSweepInterval: 0, ...flags },
    wrapClient(client, { name }) {
      if (name === provisioner.name) return histories.client(client);
      return name === "informers" ? (informers?.(client) ?? client) : client;
    },
  });

  const disposing = opened.move();
  return {
    ...{ ...base, ...tested, histories },
    get dead() {
      return tested.dead;
    },
    get state() {
      return state;
    },
    createClass: (name = "fast", members = {}) => admin.create(StorageClass, storageClass(name, members)),
    async createClaim(name, spec, metadata) {
      const made = await admin.create(PersistentVolumeClaim, claim(name, spec, metadata));
      if (base.cluster.flavour === "real" && controllers) await nudge(admin, made);
      return made;
    },
    deleteClaim: (name) => admin.delete(PersistentVolumeClaim, inDefault(name)),
    async bound(name) {
      const found = await base.until(PersistentVolumeClaim, inDefault(name), ({ status }) => status?.phase === "Bound");
      const volume = await admin.get(PersistentVolume, { name: found.spec?.volumeName ?? "" });
      return { claim: found, volume };
    },
    volumes: async () => (await admin.list(PersistentVolume)).items,
    requests: async () => (await tested.recorded()).map(({ verb, resource }) => `${verb} ${resource}`),
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
}
