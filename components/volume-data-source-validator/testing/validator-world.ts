import { populatorDefinitions } from "@csi-sidecars/crds";
import { Event, mergePatch, PersistentVolumeClaim, type V1Event, VolumePopulator } from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type ComponentWorldOptions,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { volumeDataSourceValidator } from "../component.ts";
import type { validatorFlags } from "../flags.ts";
import { claimOf, inDefault, populatorOf, unknown } from "./objects.ts";

type Options = TestedComponentOptions<typeof validatorFlags>;

export interface ValidatorWorldOptions extends Options, Pick<ComponentWorldOptions, "definitions"> {}

/** The validator with an API server. It warns at once, unless the test gives it a delay. */
export interface ValidatorWorld extends ComponentWorld {
  readonly validator: TestedComponent;
  /** Creates a claim in the namespace `default`. */
  addClaim(...args: Parameters<typeof claimOf>): Promise<void>;
  addPopulator(...args: Parameters<typeof populatorOf>): Promise<void>;
  removePopulator(name: string): Promise<void>;
  removeClaim(name: string): Promise<void>;
  bind(claim: string): Promise<void>;
  /** The validator's events about a claim, whichever claim of that name. */
  warnings(claim: string): Promise<readonly V1Event[]>;
  untilWarned(claim: string, times?: number): Promise<V1Event>;
  /** The verdicts that were counted: `{ invalid: 1 }`. */
  counted(): Promise<Readonly<Record<string, number>>>;
  untilCounted(counts: Readonly<Record<string, number>>): Promise<void>;
  /** What the gauge says. */
  invalidClaims(): Promise<number>;
  /** Has another claim warned about: what was due before has been done then. */
  witness(): Promise<void>;
}

export const warning = "Warning UnrecognizedDataSourceKind: The datasource for this PVC does not match any registered VolumePopulator";

export async function startValidatorWorld({
  definitions = populatorDefinitions,
  ...options
}: ValidatorWorldOptions = {}): Promise<ValidatorWorld> {
  const world = await startComponentWorld({ definitions });
  const flags = { warningDelay: 0, kubeApiQps: -1, kubeApiBurst: 0, ...options.flags };
  const validator = await world.add(volumeDataSourceValidator, { ...options, flags }).catch(async (error) => {
    await world[Symbol.asyncDispose]();
    throw error;
  });
  const { admin } = world;
  let witnesses = 0;
  /** Nothing while the process is being replaced. */
  const metrics = () => validator.metrics().catch(() => "");
  const timesTold = (events: readonly V1Event[]) => events.reduce((sum, { count = 1 }) => sum + count, 0);
  const self: ValidatorWorld = {
    ...world,
    validator,
    async addClaim(...args) {
      await admin.create(PersistentVolumeClaim, claimOf(...args));
    },
    async addPopulator(...args) {
      await admin.create(VolumePopulator, populatorOf(...args));
    },
    removePopulator: (name) => admin.delete(VolumePopulator, { name }),
    async removeClaim(name) {
      // Nobody else removes the finalizer that the API server sets.
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ metadata: { finalizers: null } }));
      await admin.delete(PersistentVolumeClaim, inDefault(name));
      await world.untilGone(PersistentVolumeClaim, inDefault(name));
    },
    async bind(name) {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
    },
    async warnings(claim) {
      const { items } = await admin.list(Event, { namespace: "default", fieldSelector: `involvedObject.name=${claim}` });
      return items.filter(({ reason }) => reason === "UnrecognizedDataSourceKind");
    },
    async untilWarned(claim, times = 1) {
      await world.untilEvent(claim, warning);
      await world.untilTrue(async () => timesTold(await self.warnings(claim)) >= times);
      const [event, ...more] = await self.warnings(claim);
      if (!event || more.length > 0) throw new Error(`${claim} has ${1 + more.length} events`);
      return event;
    },
    async counted() {
      const counts = [...(await metrics()).matchAll(/^volume_data_source_validator_operation_count\{result="(.*)"\} (\d+)$/gm)];
      return Object.fromEntries(counts.map(([, result, count]) => [result, Number(count)]));
    },
    async untilCounted(counts) {
      let seen = {};
      await world
        .untilTrue(async () => {
          seen = await self.counted();
          return Bun.deepEquals(seen, counts);
        })
        .catch(() => {
          throw new Error(`counted ${JSON.stringify(seen)}, not ${JSON.stringify(counts)}`);
        });
    },
    async invalidClaims() {
      const [, count] = /^csi_sidecars_volume_data_source_validator_invalid_claims (\d+)$/m.exec(await metrics()) ?? [];
      return Number(count);
    },
    async witness() {
      const name = `witness-${++witnesses}`;
      await self.addClaim(name, unknown);
      await self.untilWarned(name);
    },
  };
  return self;
}
