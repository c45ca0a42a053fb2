import { expect, test } from "bun:test";
import type { Client } from "@csi-sidecars/kube";
import { type CrashPoint, connectionReset, crashAtEveryStep, stepOrCrash, withRestart } from "@csi-sidecars/testcluster";
import { book, unknown } from "./testing/objects.ts";
import { startValidatorWorld, type ValidatorWorld } from "./testing/validator-world.ts";

/** What happens in the cluster, and what users are told. It must end in the same way whenever the process crashes and is started again. */
type Scenario = (world: ValidatorWorld) => Promise<void>;

/** The events themselves are the work here: a crash at one of them counts. */
function crashing(point: CrashPoint) {
  return (client: Client, { name, kill }: { readonly name: string; kill(): void }): Client => {
    const step = async <R>(what: string, send: () => Promise<R>): Promise<R> => {
      const taken = await stepOrCrash(point, what, send, kill);
      if (!taken) throw connectionReset();
      return taken.result;
    };
    if (name === "informers" || name === "leader-election") return client;
    return {
      ...client,
      discover: (version, options) => step(`discover ${version}`, () => client.discover(version, options)),
      list: (resource, options) => step(`list ${resource.plural}`, () => client.list(resource, options)),
      create: (resource, object, options) => step(`create ${resource.plural}`, () => client.create(resource, object, options)),
      patch: (resource, ref, patch, options) => step(`patch ${resource.plural}`, () => client.patch(resource, ref, patch, options)),
    };
  };
}

/** A real server is shared by all tests. */
const runs = process.env.TESTCLUSTER === "real" ? {} : { atOnce: 4 };

const scenarios: Readonly<Record<string, Scenario>> = {
  async "a claim is warned about, once"(world) {
    await world.addClaim("valid");
    await world.addClaim("data", unknown);
    expect((await world.untilWarned("data")).count).toBe(1);
    await world.untilTrue(async () => (await world.invalidClaims()) === 1);
    await world.witness();
    expect((await world.warnings("data")).map(({ count }) => count)).toEqual([1]);
  },
  async "a populator comes and goes"(world) {
    await world.addClaim("data", book);
    await world.untilWarned("data");
    await world.addPopulator("books", book);
    await world.untilTrue(async () => ((await world.counted()).populator ?? 0) === 1);
    await world.removePopulator("books");
    await world.untilTrue(async () => (await world.invalidClaims()) === 1);
    await world.witness();
    expect((await world.warnings("data")).length).toBeGreaterThan(0);
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario(scenario: Scenario, point: CrashPoint): Promise<void> {
  await using world = await startValidatorWorld({ wrapClient: crashing(point), stopped: true });
  await withRestart(world.validator, () => scenario(world));
}
