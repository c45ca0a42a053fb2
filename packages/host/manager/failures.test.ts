import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { PersistentVolume } from "@csi-sidecars/kube";
import { aborted } from "../signals.ts";
import { type FakeContext, fake, followVolumes, volumeFields } from "./testing/components.ts";
import { startWorld } from "./testing/world.ts";

setDefaultTimeout(20_000);

const simple = { leadership: "none", driver: "none" } as const;

function failing(times: number, fail: (context: FakeContext) => void) {
  let starts = 0;
  return fake("failing", {
    ...simple,
    async start(context) {
      if (++starts <= times) fail(context);
      return { done: aborted(context.signal) };
    },
  });
}

describe("a component that fails", () => {
  for (const [how, fail] of [
    [
      "in its start",
      () => {
        throw new Error("broken");
      },
    ],
    [
      "in a timer",
      ({ clock }: FakeContext) => {
        clock.after(5, () => {
          throw new Error("broken");
        });
      },
    ],
  ] as const) {
    test(`${how} is restarted while its neighbour runs`, async () => {
      await using world = await startWorld();
      const [bad, good] = [failing(3, fail), fake("good", simple)];
      const program = world.run([bad, good], ["--http-endpoint=127.0.0.1:0"]);
      await program.until("it fails", () => program.stderr().includes("Controller failed, will be restarted"));
      expect(await program.get("/healthz/failing")).toEqual([500, "failing is failed: broken"]);
      await program.until(
        "it runs in the end",
        async () => (await program.get("/healthz/failing"))[0] === 200 && bad.contexts.length === 4,
      );
      expect([good.contexts.length, good.contexts[0]?.signal.aborted]).toEqual([1, false]);
      const [, metrics] = await program.get("/metrics");
      expect(metrics).toContain('csi_sidecars_controller_restarts_total{controller="failing"} 3');
      expect(metrics).toContain('csi_sidecars_controller_errors_total{controller="failing"} 3');
      expect(metrics).toContain('csi_sidecars_controller_errors_total{controller="good"} 0');
    });
  }

  test("by an unhandled error is the one that is restarted", async () => {
    await using world = await startWorld();
    const [a, b] = [fake("a", simple), fake("b", simple)];
    const program = world.run([a, b]);
    await program.until("both run", () => b.contexts.length === 1);
    const error = new Error("broken");
    for (const [one, reason] of [
      [a, error],
      [b, new Error("caught")],
    ] as const) {
      await one.contexts[0]?.clock.sleep(1, AbortSignal.abort(reason)).catch(() => undefined);
    }
    program.fault({ kind: "rejection", error });
    await program.until("a runs again", () => a.contexts.length === 2);
    expect(b.contexts).toHaveLength(1);
  });

  test("too often ends the process after the work of the others, if a limit asks for it", async () => {
    await using world = await startWorld();
    const bad = failing(100, () => {
      throw new Error("broken");
    });
    const work = Promise.withResolvers<void>();
    const good = fake("good", { ...simple, start: async () => ({ done: work.promise }) });
    const program = world.run([bad, good], ["--controller-restart-limit=2"]);
    await program.until("it drains", () => good.contexts[0]?.signal.aborted === true);
    expect([bad.contexts.length, program.code]).toEqual([3, undefined]);
    work.resolve();
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain("controller failing failed too often: broken");
  });

  test("for ever leaves its neighbour alone; /readyz and /healthz/<name> fail, the liveness of the process does not", async () => {
    await using world = await startWorld();
    const bad = failing(100, () => {
      throw new Error("broken");
    });
    const good = fake("good", simple);
    const program = world.run([bad, good], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("it failed four times", () => bad.contexts.length === 4);
    expect((await program.get("/readyz"))[0]).toBe(200);
    await program.clock.advance(3_600_000);
    expect(bad.contexts.length).toBeGreaterThan(15);
    expect(await program.get("/readyz")).toEqual([
      500,
      "[+]driver ok\n[-]failing failed: broken (failed: broken)\n[+]good ok (running)\nreadyz check failed\n",
    ]);
    expect(await program.get("/healthz/failing")).toEqual([500, "failing is failed: broken"]);
    expect([(await program.get("/livez"))[0], (await program.get("/healthz"))[0]]).toEqual([200, 200]);
    expect((await program.get("/metrics"))[1]).toContain('csi_sidecars_controller_failed{controller="failing"} 1');
    expect([good.contexts.length, good.contexts[0]?.signal.aborted, program.code]).toEqual([1, false, undefined]);
  });

  test("alone ends the process, as upstream's program does", async () => {
    await using world = await startWorld();
    const bad = failing(1, () => {
      throw new Error("Failed to create the handler");
    });
    const program = world.run([bad], [], { form: "individual" });
    expect([await program.ended(), bad.contexts.length]).toEqual([1, 1]);
    expect(program.stderr()).toContain('"Failed to create the handler"');
  });

  test("can register its metrics and health check again", async () => {
    await using world = await startWorld();
    let starts = 0;
    const { Counter } = await import("@csi-sidecars/base/prometheus");
    const bad = fake("a", {
      ...simple,
      async start({ metrics, health, signal }) {
        new Counter({ name: "own_total", help: "-", registers: [metrics] }).inc();
        health(() => ({ status: 200, body: "fine" }));
        if (++starts === 1) throw new Error("broken");
        return { done: aborted(signal) };
      },
    });
    const program = world.run([bad, fake("good", simple)], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("it runs again", async () => bad.contexts.length === 2 && (await program.get("/healthz/a"))[1] === "fine");
    expect((await program.get("/metrics"))[1].match(/^own_total 1$/gm)).toHaveLength(1);
  });
});

test("an exception outside of all components ends the process", async () => {
  await using world = await startWorld();
  const program = world.run([fake("a", { ...simple, driver: "ready" })]);
  program.fault({ kind: "exception", error: new Error("a mistake of the manager") });
  expect(await program.ended()).toBe(1);
  expect(program.stderr()).toContain("a mistake of the manager");
});

describe("a rejection that nobody handles", () => {
  test("and that cannot be attributed is logged and counted, and harms nobody", async () => {
    await using world = await startWorld();
    const [a, b] = [fake("a", simple), fake("b", simple)];
    const program = world.run([a, b], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("both run", async () => (await program.get("/readyz?verbose"))[1].match(/running/g)?.length === 2);
    for (let nth = 0; nth < 10; nth++) {
      await b.contexts[0]?.clock.sleep(1, AbortSignal.abort()).catch(() => undefined);
      program.fault({ kind: "rejection", error: new TypeError("x is undefined") });
      await program.clock.advance(60_000);
    }
    expect([a.contexts.length, b.contexts.length, program.code]).toEqual([1, 1, undefined]);
    const lines = program.stderr().match(/"Unhandled rejection of unknown origin.* err="x is undefined".* stack=/g);
    expect(lines).toHaveLength(10);
    expect((await program.get("/metrics"))[1]).toContain("csi_sidecars_unattributed_errors_total 10");
  });

  test("with a reason that two components met restarts neither", async () => {
    await using world = await startWorld();
    const [a, b] = [fake("a", simple), fake("b", simple)];
    const program = world.run([a, b]);
    await program.until("both run", () => b.contexts.length === 1);
    const shared = new Error("the process ends");
    for (const { contexts } of [a, b]) await contexts[0]?.clock.sleep(1, AbortSignal.abort(shared)).catch(() => undefined);
    program.fault({ kind: "rejection", error: shared });
    await program.until("it is logged", () => program.stderr().includes("Unhandled rejection of unknown origin"));
    await program.clock.advance(60_000);
    expect([a.contexts.length, b.contexts.length]).toEqual([1, 1]);
  });
});

test("a handler that throws loses one event, is counted, and harms no neighbour", async () => {
  await using world = await startWorld({ cluster: true });
  const seen: string[] = [];
  const watching = (name: string, onAdd: (volume: string) => void) =>
    fake(name, {
      ...simple,
      kube: true,
      async start(context) {
        context.informers.forFields(volumeFields).addHandler({ onAdd: ({ metadata }) => onAdd(metadata.name) });
        return followVolumes(context);
      },
    });
  const careless = watching("careless", (volume) => {
    if (volume === "bad") throw new Error("cannot bear this volume");
    seen.push(`careless ${volume}`);
  });
  const program = world.run([careless, watching("careful", (volume) => seen.push(`careful ${volume}`))], ["--http-endpoint=127.0.0.1:0"]);
  await program.until("both run", async () => (await program.get("/readyz?verbose"))[1].match(/running/g)?.length === 2);
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce" as const], hostPath: { path: "/x" } };
  for (const name of ["bad", "good"]) await world.cluster.admin.create(PersistentVolume, { metadata: { name }, spec });
  await program.until("all is told", () => seen.length === 3);
  expect(seen.sort()).toEqual(["careful bad", "careful good", "careless good"]);
  expect((await program.get("/metrics"))[1]).toMatch(/errors_total{controller="careless"} 1\n.*errors_total{controller="careful"} 0/);
  expect(careless.contexts).toHaveLength(1);
});

test("what a failed run kept is there for the next one, and for no other component", async () => {
  await using world = await startWorld();
  const keeping = (name: string, failures: number) => {
    const runs: number[] = [];
    const component = fake(name, {
      ...simple,
      async start(context) {
        const kept = context.keep(() => [] as number[]);
        kept.push(kept.length);
        runs.push(kept.length);
        if (runs.length <= failures) throw new Error("broken");
        return { done: aborted(context.signal) };
      },
    });
    return { component, runs };
  };
  const [bad, good] = [keeping("bad", 2), keeping("good", 0)];
  const program = world.run([bad.component, good.component]);
  await program.until("it runs in the end", () => bad.runs.length === 3 && good.runs.length === 1);
  expect([bad.runs, good.runs]).toEqual([[1, 2, 3], [1]]);
});

test("what a failed run read is released: only the next run sees changes, over the same watch", async () => {
  await using world = await startWorld({ cluster: true });
  const seen: string[] = [];
  let starts = 0;
  const a = fake("a", {
    ...simple,
    kube: true,
    async start(context) {
      const run = ++starts;
      context.informers.forFields(volumeFields).addHandler({ onAdd: ({ metadata }) => void seen.push(`${run} ${metadata.name}`) });
      const running = await followVolumes(context);
      if (run === 1) context.clock.after(1, () => expect.unreachable());
      return running;
    },
  });
  const other = fake("other", { ...simple, kube: true, start: followVolumes });
  const program = world.run([a, other], ["--http-endpoint=127.0.0.1:0"]);
  await program.until("it runs again", async () => starts === 2 && (await program.get("/readyz?verbose"))[1].includes("a ok (running)"));
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce" as const], hostPath: { path: "/x" } };
  await world.cluster.admin.create(PersistentVolume, { metadata: { name: "new" }, spec });
  await program.until("it is told", () => seen.length > 0);
  await program.clock.advance(100);
  expect(seen).toEqual(["2 new"]);
  expect((await world.cluster.requests({ user: "admin", resource: "persistentvolumes", verb: "watch" })).length).toBe(1);
});

test("an API server that is away at the start is waited for", async () => {
  await using world = await startWorld({ cluster: "own" });
  await world.cluster.stop();
  const a = fake("a", { ...simple, kube: true, start: followVolumes });
  const program = world.run([a], ["--http-endpoint=127.0.0.1:0"]);
  await program.until("it tried", async () =>
    (await program.get("/readyz?verbose"))[1].includes("waiting for caches: persistentvolumes ("),
  );
  await world.cluster.start();
  await program.clock.advance(60_000);
  await program.until("it runs", async () => (await program.get("/readyz?verbose"))[1].includes("a ok (running)"));
});
