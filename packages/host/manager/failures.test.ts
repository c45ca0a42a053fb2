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
    program.fault(error);
    await program.until("a runs again", () => a.contexts.length === 2);
    expect(b.contexts).toHaveLength(1);
  });

  test("too often ends the process", async () => {
    await using world = await startWorld();
    const bad = failing(100, () => {
      throw new Error("broken");
    });
    const program = world.run([bad, fake("good", simple)], ["--controller-restart-limit=2"]);
    expect(await program.ended()).toBe(1);
    expect(bad.contexts).toHaveLength(3);
    expect(program.stderr()).toContain("controller failing failed too often: broken");
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

test("an unhandled error of no component ends the process", async () => {
  await using world = await startWorld();
  const program = world.run([fake("a", { ...simple, driver: "ready" })]);
  program.fault(new Error("a mistake of the manager"));
  expect(await program.ended()).toBe(1);
  expect(program.stderr()).toContain("a mistake of the manager");
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
