import { describe, expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { type Client, Event, PersistentVolumeClaim, StatusError, VolumePopulator } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { book, inDefault, otherClaim, snapshot, unknown } from "./testing/objects.ts";
import { upstreamRole } from "./testing/upstream-role.ts";
import { startValidatorWorld, type ValidatorWorld } from "./testing/validator-world.ts";

const eventsOf = async (world: ValidatorWorld) => (await world.admin.list(Event)).items.map(({ reason }) => reason);

test("after the start every claim is counted once, but those that are bound", async () => {
  await using world = await startValidatorWorld({ stopped: true });
  await world.addPopulator("books", book);
  await world.addClaim("empty");
  await world.addClaim("clone", otherClaim);
  await world.addClaim("restored", snapshot);
  await world.addClaim("populated", book);
  await world.addClaim("invalid", unknown);
  for (const claim of ["bound", "bound-empty"]) {
    await world.addClaim(claim, claim === "bound" ? unknown : undefined);
    await world.bind(claim);
  }
  await world.validator.run();
  await world.untilWarned("invalid");
  await world.untilCounted({ empty: 1, pvc: 1, snapshot: 1, populator: 1, invalid: 1 });
  expect(await eventsOf(world)).toEqual(["UnrecognizedDataSourceKind"]);
  const text = await world.validator.metrics();
  expect(text).toContain("# HELP volume_data_source_validator_operation_count [ALPHA] Number of validations operations by result\n");
  expect(text).toContain("# TYPE volume_data_source_validator_operation_count counter\n");
  expect(text).toContain("process_start_time_seconds");
});

test("upstream's published role is enough, and nothing is written but events", async () => {
  await using world = await startValidatorWorld({ role: upstreamRole });
  await world.addPopulator("books", book);
  await world.addClaim("data", book);
  await world.witness();
  await world.removePopulator("books");
  await world.untilWarned("data");
  expect(await world.validator.refused()).toEqual([]);
  expect(await world.validator.requests()).toEqual([]);
});

test("the kind may be installed after the start: no claim is judged before", async () => {
  await using world = await startValidatorWorld({ definitions: [] });
  await world.addClaim("data", book);
  await world.addClaim("other", unknown);
  await world.untilTrue(() =>
    world.validator.log.lines.some(({ message }) => message === "Waiting for CustomResourceDefinitions to be installed"),
  );
  expect([await world.counted(), await eventsOf(world)]).toEqual([{}, []]);
  await installDefinitions(world.admin, populatorDefinitions);
  await world.addPopulator("books", book);
  await world.untilWarned("other");
  await world.addClaim("late", book);
  await world.untilTrue(async () => ((await world.counted()).populator ?? 0) >= 1);
  expect(await world.warnings("late")).toEqual([]);
});

test("claims are not judged while the populators cannot be read", async () => {
  let isReadable = false;
  const refused = new StatusError({ code: 500, reason: "InternalError", message: "out of order" });
  const unreadable = (client: Client, { name }: { readonly name: string }): Client => {
    const check = (resource: { readonly plural: string }) => {
      if (resource.plural === VolumePopulator.plural && !isReadable) throw refused;
    };
    if (name !== "informers") return client;
    return {
      ...client,
      async list(resource, options) {
        check(resource);
        return client.list(resource, options);
      },
      async watch(resource, options) {
        check(resource);
        return client.watch(resource, options);
      },
    };
  };
  await using world = await startValidatorWorld({ stopped: true, wrapClient: unreadable });
  await world.addPopulator("books", book);
  await world.addClaim("data", book);
  await world.addClaim("empty");
  await world.validator.run();
  await world.untilTrue(() => world.validator.log.lines.some(({ error }) => String(error).includes("out of order")));
  expect([await world.counted(), await eventsOf(world)]).toEqual([{}, []]);
  isReadable = true;
  await world.untilCounted({ populator: 1, empty: 1 });
});

describe("after a restart", () => {
  const listsOfEvents = async (world: ValidatorWorld) =>
    (await world.cluster.requests({ user: world.validator.user.name })).filter(
      ({ verb, resource }) => verb === "list" && resource === "events",
    );

  test("a claim that was warned about is counted, but not told of again", async () => {
    await using world = await startValidatorWorld();
    await world.addClaim("data", unknown);
    await world.untilWarned("data");
    await world.validator.stop();
    await world.addClaim("meanwhile", unknown);
    await world.validator.run();
    await world.untilWarned("meanwhile");
    await world.untilCounted({ invalid: 2 });
    expect((await world.warnings("data")).map(({ count }) => count)).toEqual([1]);
    expect(await world.invalidClaims()).toBe(2);
    expect(await listsOfEvents(world)).toHaveLength(2);
    await world.addPopulator("riddles", unknown);
    await world.untilCounted({ invalid: 2, populator: 2 });
    await world.removePopulator("riddles");
    await world.untilTrue(async () => (await world.warnings("data")).length === 2);
  });

  test("a claim whose event has expired is told of again", async () => {
    await using world = await startValidatorWorld();
    await world.addClaim("data", unknown);
    const { metadata } = await world.untilWarned("data");
    await world.validator.stop();
    await world.admin.delete(Event, { namespace: "default", name: metadata?.name ?? "" });
    await world.validator.run();
    await world.untilWarned("data");
  });

  test("no events are read while there is nothing to warn about", async () => {
    await using world = await startValidatorWorld({ stopped: true });
    await world.addPopulator("books", book);
    await world.addClaim("data", book);
    await world.validator.run();
    await world.untilCounted({ populator: 1 });
    expect(await listsOfEvents(world)).toEqual([]);
  });

  test("with a role that may not list events, claims are told of again", async () => {
    const role = upstreamRole.map((rule) => (rule.resources.includes("events") ? { ...rule, verbs: ["create", "patch"] } : rule));
    await using world = await startValidatorWorld({ role });
    await world.addClaim("data", unknown);
    await world.untilWarned("data");
    await world.validator.stop();
    await world.validator.run();
    await world.untilTrue(async () => (await world.warnings("data")).length === 2);
    expect(world.validator.log.lines.some(({ message }) => message.startsWith("May not list events"))).toBe(true);
  });

  test("events that cannot be read now are read later, on pages", async () => {
    const pages: (string | undefined)[] = [];
    const inPages = (client: Client, { name }: { readonly name: string }): Client =>
      name === "volume-data-source-validator"
        ? {
            ...client,
            async list(resource, options = {}) {
              if (pages.push(options.continue && "more") === 1)
                throw new StatusError({ code: 500, reason: "InternalError", message: "no" });
              return client.list(resource, { ...options, limit: 1 });
            },
          }
        : client;
    await using world = await startValidatorWorld({ stopped: true, wrapClient: inPages });
    for (const [i, claim] of ["a", "b", "c"].entries()) {
      await world.addClaim(claim, unknown);
      const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault(claim));
      await world.create(Event, {
        metadata: { namespace: "default", name: `${claim}.${i}` },
        involvedObject: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "default", name: claim, uid: metadata?.uid ?? "" },
        reason: "UnrecognizedDataSourceKind",
        type: "Warning",
        message: "told by another process",
      });
    }
    await world.validator.run();
    await world.untilCounted({ invalid: 3 });
    await world.witness();
    expect(pages).toEqual([undefined, undefined, "more", "more"]);
    expect((await eventsOf(world)).length).toBe(4);
  });
});
