import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Event, ignoreNotFound, Lease, mergePatch } from "@csi-sidecars/kube";
import { isNotLeading } from "../leadership/leader-permit.ts";
import type { Lead } from "../leadership/leadership.ts";
import { type FakeComponent, fake, fakeProbe, followVolumes } from "./testing/components.ts";
import { type RunningProgram, startWorld } from "./testing/world.ts";

setDefaultTimeout(30_000);

type World = Awaited<ReturnType<typeof startWorld>>;

const namespace = "default";
const flags = ["--leader-election", `--leader-election-namespace=${namespace}`, "--http-endpoint=127.0.0.1:0"];
const sharedLease = "csi-sidecars-driver-example-com";
const ownLease = "own-leader";

/** A component of a driver. */
const ofDriver = () => fake("a", { kube: true });
/** A component that belongs to no driver. */
const ofNone = (differs: Parameters<typeof fake>[1] = {}) =>
  fake("own", { leadership: "own", driver: "none", kube: true, legacyLease: (driver) => `own-leader${driver}`, ...differs });
const runs = (component: FakeComponent, times = 1) => component.contexts.length === times;
const current = ({ contexts }: FakeComponent) => contexts.at(-1)!;

const leaseIn = (world: World, name: string) => ignoreNotFound(world.cluster.admin.get(Lease, { namespace, name }));
const holderOf = async (world: World, name: string) => (await leaseIn(world, name))?.spec?.holderIdentity ?? "";
const holders = async (world: World) => [await holderOf(world, sharedLease), await holderOf(world, ownLease)];
/** The leases that somebody asked for, of those the tests do not read themselves. */
const leasesTouched = async (world: World) => {
  const requests = await world.cluster.requests({ resource: "leases", namespace });
  return [...new Set(requests.filter(({ userAgent }) => userAgent.startsWith("csi-")).map(({ name }) => name))].filter(Boolean).sort();
};
const steal = async (world: World, { clock }: RunningProgram, name: string) => {
  const renewTime = new Date(clock.now()).toISOString().replace("Z", "000Z");
  await world.cluster.admin.patch(Lease, { namespace, name }, mergePatch({ spec: { holderIdentity: "thief", renewTime } }));
};
const elapsed = (program: RunningProgram, ms: number) => {
  const due = program.clock.monotonic() + ms;
  return program.until(`${ms} ms later`, () => program.clock.monotonic() >= due);
};

/** Wins every election at once; what becomes of each leadership is up to the test. */
function wonElections() {
  const uncertain = new Set<string>();
  const silent = new Set<string>();
  const lead: Lead = ({ lease: { name }, started, signal }) => {
    queueMicrotask(() => started(signal));
    return {
      mayAct: () => !uncertain.has(name),
      check: () => (silent.has(name) ? new Error(`failed election to renew leadership on lease ${name}`) : undefined),
      waitingFor: () => "nothing",
      ended: new Promise((resolve) => signal.addEventListener("abort", () => resolve({ reason: "cancelled" }))),
    };
  };
  return { lead, uncertain, silent };
}

describe("a component with a lease of its own, beside others", () => {
  test("holds it as its individual program does, and takes no part in the migration to the shared one", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], flags);
    await program.until("both run", () => runs(a) && runs(own));
    expect(await holders(world)).toEqual(["pod-1", "pod-1"]);
    expect((await leaseIn(world, ownLease))?.metadata?.annotations).toBeUndefined();
    expect((await leaseIn(world, sharedLease))?.metadata?.annotations).toMatchObject({
      "csi-sidecars.storage.k8s.io/controllers": "a",
      "migration.csi.k8s.io/controllers": "a",
    });
    const [, metrics] = await program.get("/metrics");
    for (const name of [sharedLease, ownLease]) expect(metrics).toContain(`leader_election_master_status{name="${name}"} 1`);
    program.signal();
    expect([await program.ended(), await holders(world)]).toEqual([0, ["", ""]]);
    const { items } = await world.cluster.admin.list(Event, { namespace });
    const became = items.filter(({ message }) => message === "pod-1 became leader");
    expect(became.map(({ source, involvedObject }) => [involvedObject?.name, source?.component]).sort()).toEqual([
      [sharedLease, "csi-sidecars-driver.example.com/pod-1"],
      [ownLease, "own-leader/pod-1"],
    ]);
  });

  test("waits for no driver, and gives nothing up when the driver is gone", async () => {
    await using world = await startWorld({ cluster: true });
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], flags);
    await program.until("one runs", () => runs(own));
    expect((await program.get("/readyz?verbose"))[1]).toContain("[+]own ok (running)");
    expect([a.contexts.length, await holders(world)]).toEqual([0, ["", "pod-1"]]);
    const driver = await world.driver();
    await program.until("both run", () => runs(a));
    await driver.kill();
    await program.until("the shared lease is released", async () => (await holderOf(world, sharedLease)) === "");
    await elapsed(program, 30_000);
    expect([runs(own), current(own).signal.aborted, await holders(world)]).toEqual([true, false, ["", "pod-1"]]);
  });

  test.each(["exit", "restart"])("starts again when it has lost it, and the others go on: --loss-policy=%s", async (policy) => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], [...flags, `--loss-policy=${policy}`]);
    await program.until("both run", () => runs(a) && runs(own));
    await steal(world, program, ownLease);
    await program.until("it stops", () => current(own).signal.aborted);
    expect((await program.get("/readyz?verbose"))[1]).toMatch(/\[\+\]a ok \(running\)\n\[\+\]own ok \(waiting: /);
    await program.until("it leads again", () => runs(own, 2));
    expect([program.code, runs(a), current(a).signal.aborted]).toEqual([undefined, true, false]);
  });

  test("goes on when the shared lease is lost", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], [...flags, "--leader-election-migration=skip"]);
    await program.until("both run", () => runs(a) && runs(own));
    await steal(world, program, sharedLease);
    await program.until("the other starts again", () => runs(a, 2));
    expect([program.code, runs(own), current(own).signal.aborted]).toEqual([undefined, true, false]);
  });

  test("with work that does not end after the loss keeps nobody else from going on, and starts again when it has ended", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const work = Promise.withResolvers<void>();
    const [a, own] = [ofDriver(), ofNone({ start: async () => ({ done: work.promise }) })];
    const program = world.run([a, own], [...flags, "--loss-policy=exit"]);
    await program.until("both run", () => runs(a) && runs(own));
    await steal(world, program, ownLease);
    await program.until("it is noticed", () => program.stderr().includes("the work under it does not end"));
    await elapsed(program, 60_000);
    expect([program.code, runs(own), current(a).signal.aborted, await holderOf(world, ownLease)]).toEqual([
      undefined,
      true,
      false,
      "thief",
    ]);
    work.resolve();
    await program.until("it leads again", () => runs(own, 2));
  });

  test.each([
    [ownLease, sharedLease],
    [sharedLease, ownLease],
  ])("changes something by its own lease: uncertain of %s, certain of %s", async (uncertain, certain) => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const elections = wonElections();
    const program = world.run([a, own], flags, elections);
    await program.until("both run", () => runs(a) && runs(own));
    elections.uncertain.add(uncertain);
    const write = ({ kube }: ReturnType<typeof current>, name: string) =>
      kube.create(Lease, { metadata: { namespace, name } }).then(
        () => "written",
        (error: unknown) => (isNotLeading(error) ? "refused" : error),
      );
    const outcomes: Readonly<Record<string, unknown>> = {
      [sharedLease]: await write(current(a), "by-a"),
      [ownLease]: await write(current(own), "by-own"),
    };
    expect(outcomes).toEqual({ [uncertain]: "refused", [certain]: "written" });
  });

  test("is answered for by /healthz/leader-election, which names the lease that is not renewed", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const elections = wonElections();
    const program = world.run([a, own], flags, elections);
    await program.until("both run", () => runs(a) && runs(own));
    const problem = (name: string) => `failed election to renew leadership on lease ${name}`;
    expect(await program.get("/healthz/leader-election")).toEqual([200, "ok"]);
    elections.silent.add(ownLease);
    expect(await program.get("/healthz/leader-election")).toEqual([500, `internal server error: ${problem(ownLease)}\n`]);
    expect((await program.get("/livez"))[1]).toContain(`[-]leader-election failed: ${problem(ownLease)}\n`);
    elections.silent.add(sharedLease);
    expect((await program.get("/healthz/leader-election"))[1]).toContain(`${problem(sharedLease)}; ${problem(ownLease)}`);
  });

  test("reports on its own lease that it keeps failing", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const failing = { start: async () => Promise.reject(new Error("no such setting")) };
    const program = world.run([ofDriver(), ofNone(failing)], flags);
    const reports = async () =>
      (await world.cluster.admin.list(Event, { namespace })).items.filter(({ reason }) => reason === "ControllerFailed");
    await program.until("the event", async () => (await reports()).length > 0);
    expect((await reports()).map(({ source, involvedObject }) => [involvedObject?.name, source?.component])).toEqual([
      [ownLease, "own-leader/pod-1"],
    ]);
  });

  test("is not bound to the name of a driver whose health only is asked for", async () => {
    await using world = await startWorld({ cluster: true });
    const driver = await world.driver();
    const own = ofNone();
    const program = world.run([own, fakeProbe()], flags);
    await program.until("it runs", () => runs(own));
    await program.until("the driver is healthy", async () => (await program.get("/healthz"))[0] === 200);
    await driver.kill();
    const calls: string[] = [];
    await world.driver({ getPluginInfo: () => ({ name: "other.example.com" }) }, calls);
    await program.until("the other driver tells its name", () => calls.includes("getPluginInfo"));
    await elapsed(program, 10_000);
    expect([program.code, runs(own), await leasesTouched(world)]).toEqual([undefined, true, [ownLease]]);
  });

  test("shares caches and touches no lease without --leader-election", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [fake("a", { kube: true, start: followVolumes }), ofNone({ start: followVolumes })];
    const program = world.run([a, own], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("both run", async () => ((await program.get("/readyz?verbose"))[1].match(/ok \(running\)/g) ?? []).length === 2);
    expect(await leasesTouched(world)).toEqual([]);
    expect(await world.cluster.requests({ user: "admin", resource: "persistentvolumes", verb: "watch" })).toHaveLength(1);
  });
});

describe("without an API server", () => {
  const startBoth = async () => {
    const world = await startWorld({ cluster: "own" });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], [...flags, "--leader-election-migration=skip"]);
    await program.until("both run", () => runs(a) && runs(own));
    await world.cluster.stop("abrupt");
    return { world, a, own, program, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  };

  test("both leases are lost, and won again when it is back", async () => {
    await using both = await startBoth();
    const { world, a, own, program } = both;
    await program.until("both stop", () => current(a).signal.aborted && current(own).signal.aborted);
    expect([program.code, runs(a), runs(own)]).toEqual([undefined, true, true]);
    await world.cluster.start();
    await program.until("both run again", () => runs(a, 2) && runs(own, 2));
    expect(await holders(world)).toEqual(["pod-1", "pod-1"]);
  });

  test("neither lease can be released, and the process ends all the same", async () => {
    await using both = await startBoth();
    both.program.signal();
    expect(await both.program.ended()).toBe(0);
  });
});

describe("a component with a lease of its own, alone", () => {
  for (const form of ["all-in-one", "individual"] as const) {
    test(`touches no other lease and no driver, and releases its lease when it is asked to end: ${form}`, async () => {
      await using world = await startWorld({ cluster: true });
      const own = ofNone();
      const program = world.run([own], flags, { form });
      await program.until("it runs", () => runs(own));
      expect([await holderOf(world, ownLease), await leasesTouched(world)]).toEqual(["pod-1", [ownLease]]);
      program.signal("SIGINT");
      expect([await program.ended(), await holderOf(world, ownLease)]).toEqual([0, ""]);
    });
  }

  test.each([
    ["an individual program", "individual", []],
    ["--loss-policy=exit", "all-in-one", ["--loss-policy=exit"]],
  ] as const)("ends with the lease: %s", async (_, form, more) => {
    await using world = await startWorld({ cluster: true });
    const own = ofNone();
    const program = world.run([own], [...flags, ...more], { form });
    await program.until("it runs", () => runs(own));
    await steal(world, program, ownLease);
    expect([await program.ended(), program.stderr().includes("leader election lost")]).toEqual([1, true]);
  });
});

describe("--leader-election-lease-name", () => {
  test("names the shared lease alone", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, own] = [ofDriver(), ofNone()];
    const program = world.run([a, own], [...flags, "--leader-election-lease-name=mine", "--leader-election-migration=skip"]);
    await program.until("both run", () => runs(a) && runs(own));
    expect(await leasesTouched(world)).toEqual(["mine", ownLease]);
  });

  test("cannot be the lease that a component has to itself", async () => {
    await using world = await startWorld();
    const program = world.run([ofDriver(), ofNone()], [...flags, `--leader-election-lease-name=${ownLease}`]);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain("--leader-election-lease-name: own-leader is the lease of own, which has it to itself");
  });
});
