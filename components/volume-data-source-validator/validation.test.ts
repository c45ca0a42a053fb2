import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { book, inDefault, otherClaim, snapshot, unknown } from "./testing/objects.ts";
import { startValidatorWorld, type ValidatorWorld } from "./testing/validator-world.ts";

const touch = (world: ValidatorWorld, claim: string, value: string) =>
  world.admin.patch(PersistentVolumeClaim, inDefault(claim), mergePatch({ metadata: { annotations: { touched: value } } }));

test("a claim whose data source nobody serves is warned about, in upstream's words", async () => {
  await using world = await startValidatorWorld();
  await world.addClaim("data", unknown);
  const event = await world.untilWarned("data");
  const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("data"));
  expect(event).toMatchObject({
    type: "Warning",
    reason: "UnrecognizedDataSourceKind",
    message: "The datasource for this PVC does not match any registered VolumePopulator",
    source: { component: "volume-data-source-validator" },
    reportingComponent: "volume-data-source-validator",
    involvedObject: { kind: "PersistentVolumeClaim", apiVersion: "v1", name: "data", namespace: "default", uid: metadata?.uid ?? "" },
    count: 1,
  });
  const line = world.validator.log.lines.find(
    ({ message }) => message === "No VolumePopulator registers the kind of a claim's data source",
  );
  expect(line?.fields).toMatchObject({ claim: "default/data", group: "nobody.example.com", kind: "Riddle" });
});

test("claims without data source, of a claim, of a snapshot, and of a kind that is registered are not", async () => {
  await using world = await startValidatorWorld();
  await world.addPopulator("books", book);
  await world.addClaim("empty");
  await world.addClaim("clone", otherClaim);
  await world.addClaim("restored", snapshot);
  await world.addClaim("populated", book);
  await world.untilCounted({ empty: 1, pvc: 1, snapshot: 1, populator: 1 });
  await world.witness();
  for (const claim of ["empty", "clone", "restored", "populated"]) expect(await world.warnings(claim)).toEqual([]);
});

test.each([
  ["the kind in lower case", { ...book, kind: "book" }],
  ["the kind of another group", { ...book, apiGroup: "library.example.org" }],
  ["another kind of the group", { ...book, kind: "Journal" }],
  ["a part of the kind", { ...book, kind: "Boo" }],
])("%s is not the one that is registered", async (_what, source) => {
  await using world = await startValidatorWorld();
  await world.addPopulator("books", book);
  await world.addClaim("data", source);
  await world.untilWarned("data");
  expect(await world.counted()).toEqual({ invalid: 1 });
});

test("a hundred changes of a claim are no reason for another warning", async () => {
  await using world = await startValidatorWorld();
  await world.addClaim("data", unknown);
  await world.addClaim("empty");
  await world.untilWarned("data");
  for (let i = 0; i < 100; i++) await Promise.all([touch(world, "data", `${i}`), touch(world, "empty", `${i}`)]);
  await world.witness();
  expect((await world.warnings("data")).map(({ count }) => count)).toEqual([1]);
  expect(await world.counted()).toEqual({ empty: 1, invalid: 2 });
});

describe("when a populator is registered later", () => {
  test("the claims of its kind are valid without a word, and the others stay as they are", async () => {
    await using world = await startValidatorWorld();
    await world.addClaim("data", book);
    await world.addClaim("other", unknown);
    await world.untilWarned("data");
    await world.untilWarned("other");
    expect(await world.invalidClaims()).toBe(2);
    await world.addPopulator("books", book);
    await world.untilCounted({ invalid: 2, populator: 1 });
    await world.addPopulator("books-too", book);
    await world.witness();
    expect(await world.counted()).toEqual({ invalid: 3, populator: 1 });
    expect(await world.invalidClaims()).toBe(2);
    expect(await world.events("data")).toHaveLength(1);
  });

  test("and removed again, the claims are warned about again", async () => {
    await using world = await startValidatorWorld();
    await world.addPopulator("books", book);
    await world.addPopulator("books-too", book);
    for (const claim of ["data", "bound", "deleted"]) await world.addClaim(claim, book);
    await world.untilCounted({ populator: 3 });
    await world.bind("bound");
    await world.admin.delete(PersistentVolumeClaim, inDefault("deleted"));
    await world.removePopulator("books");
    await world.witness();
    expect(await world.counted()).toEqual({ populator: 3, invalid: 1 });
    await world.removePopulator("books-too");
    await world.untilWarned("data");
    await world.addPopulator("books", book);
    await world.untilCounted({ populator: 4, invalid: 2 });
    await world.removePopulator("books");
    await world.untilWarned("data", 2);
    expect(await world.counted()).toEqual({ populator: 4, invalid: 3 });
    expect([await world.warnings("bound"), await world.warnings("deleted")]).toEqual([[], []]);
  });

  test("a claim of the same name that was created anew is judged anew", async () => {
    await using world = await startValidatorWorld();
    await world.addClaim("data", unknown);
    await world.untilWarned("data");
    await world.removeClaim("data");
    await world.untilTrue(async () => (await world.invalidClaims()) === 0);
    await world.addClaim("data", unknown);
    await world.untilTrue(async () => (await world.warnings("data")).length === 2);
    const uids = (await world.warnings("data")).map(({ involvedObject }) => involvedObject.uid);
    expect(new Set(uids).size).toBe(2);
    expect(await world.counted()).toEqual({ invalid: 2 });
  });
});

describe("a populator may be late", () => {
  const delay = { flags: { warningDelay: 2_000 } };

  test("a claim that is created before its populator is not warned about", async () => {
    const clock = new FakeClock();
    await using world = await startValidatorWorld({ ...delay, clock });
    await world.addClaim("data", book);
    await world.untilTrue(() => clock.waiting > 0);
    await clock.advance(1_999);
    await world.addPopulator("books", book);
    await world.untilCounted({ populator: 1 });
    await clock.advance(10_000);
    expect(await world.counted()).toEqual({ populator: 1 });
    expect(await world.events("data")).toEqual([]);
  });

  test("and is, once, when the delay is over", async () => {
    const clock = new FakeClock();
    await using world = await startValidatorWorld({ ...delay, clock });
    await world.addClaim("data", book);
    await world.untilTrue(() => clock.waiting > 0);
    await clock.advance(1_999);
    expect(await world.counted()).toEqual({});
    await clock.advance(1);
    await world.untilWarned("data");
    await clock.advance(60_000);
    expect(await world.counted()).toEqual({ invalid: 1 });
  });

  test("one that is replaced by another of its kind is not missed", async () => {
    const clock = new FakeClock();
    await using world = await startValidatorWorld({ ...delay, clock });
    await world.addPopulator("books", book);
    await world.addClaim("data", book);
    await world.untilCounted({ populator: 1 });
    await world.removePopulator("books");
    await world.untilTrue(() => clock.waiting > 0);
    await world.addPopulator("books-2", book);
    // Read after the populator: what was due before it has been done.
    await world.addPopulator("riddles", unknown);
    await world.addClaim("riddle", unknown);
    await world.untilCounted({ populator: 2 });
    await clock.advance(10_000);
    expect(await world.counted()).toEqual({ populator: 2 });
    expect(await world.events("data")).toEqual([]);
  });

  test.each<[what: string, end: (world: ValidatorWorld) => Promise<void>]>([
    ["deleted", (world) => world.removeClaim("data")],
    ["being deleted", (world) => world.admin.delete(PersistentVolumeClaim, inDefault("data"))],
    ["bound", (world) => world.bind("data")],
  ])("a claim that is %s meanwhile is not warned about", async (_what, end) => {
    const clock = new FakeClock();
    await using world = await startValidatorWorld({ ...delay, clock });
    await world.addClaim("data", book);
    await world.untilTrue(() => clock.waiting > 0);
    await end(world);
    await world.addClaim("later");
    await world.untilCounted({ empty: 1 });
    await clock.advance(10_000);
    expect(await world.counted()).toEqual({ empty: 1 });
    expect(await world.events("data")).toEqual([]);
  });
});

test("a deletion that the watch has missed ends the claim too", async () => {
  await using world = await startValidatorWorld();
  await world.addClaim("data", unknown);
  await world.untilWarned("data");
  const release = world.validator.holdWatch(PersistentVolumeClaim);
  await world.removeClaim("data");
  release("expired");
  await world.untilTrue(async () => (await world.invalidClaims()) === 0);
  await world.witness();
  expect(await world.counted()).toEqual({ invalid: 2 });
});

test("a claim that is bound or deleted is no longer counted as invalid", async () => {
  await using world = await startValidatorWorld();
  for (const claim of ["bound", "deleted", "pending"]) await world.addClaim(claim, unknown);
  for (const claim of ["bound", "deleted", "pending"]) await world.untilWarned(claim);
  expect(await world.invalidClaims()).toBe(3);
  await world.bind("bound");
  await world.removeClaim("deleted");
  await world.untilTrue(async () => (await world.invalidClaims()) === 1);
});
