import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Lease } from "@csi-sidecars/kube";
import { fake, followVolumes } from "./testing/components.ts";
import { startWorld } from "./testing/world.ts";

setDefaultTimeout(20_000);

const simple = { leadership: "none", driver: "none" } as const;
const lease = { namespace: "default", name: "csi-sidecars-driver-example-com" };

describe("a signal", () => {
  test("lets work end and exits with 0; no new run begins meanwhile", async () => {
    await using world = await startWorld();
    const work = Promise.withResolvers<void>();
    const a = fake("a", { ...simple, start: async () => ({ done: work.promise }) });
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    program.signal("SIGINT");
    await program.clock.advance(20_000);
    expect([a.contexts[0]?.signal.aborted, program.code]).toEqual([true, undefined]);
    work.resolve();
    expect([await program.ended(), a.contexts.length]).toEqual([0, 1]);
  });

  test("waits no longer than the shutdown timeout", async () => {
    await using world = await startWorld();
    const a = fake("a", { ...simple, start: async () => ({ done: new Promise(() => {}) }) });
    const program = world.run([a], ["--shutdown-timeout=5s"]);
    await program.until("it runs", () => a.contexts.length === 1);
    program.signal();
    await program.clock.advance(5_000);
    expect(await program.ended()).toBe(0);
    expect(program.stderr()).toContain("Work in flight did not finish in time");
  });

  test("the second time ends the process at once with 1", async () => {
    await using world = await startWorld();
    const a = fake("a", { ...simple, start: async () => ({ done: new Promise(() => {}) }) });
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    program.signal();
    program.signal();
    await program.clock.advance(0);
    expect(program.code).toBe(1);
  });

  test("before anything runs ends the process with 0", async () => {
    await using world = await startWorld();
    const [waiting, starting] = [
      fake("waiting"),
      fake("starting", { ...simple, start: ({ clock, signal }) => clock.sleep(1e6, signal).then(() => ({ done: Promise.resolve() })) }),
    ];
    const program = world.run([waiting, starting]);
    await program.until("one starts", () => starting.contexts.length === 1);
    program.signal();
    expect(await program.ended()).toBe(0);
  });
});

describe("the lease", () => {
  for (const [what, flags, drains, holder] of [
    ["is given back after the work has ended", [], true, ""],
    ["is left to expire if the gate says so", ["--feature-gates=ReleaseLeaderElectionOnExit=false"], true, "pod-1"],
    ["is left to expire if the work has not ended", ["--shutdown-timeout=1s"], false, "pod-1"],
  ] as const) {
    test(what, async () => {
      await using world = await startWorld({ cluster: true });
      await world.driver();
      const a = fake("a", {
        kube: true,
        async start(context) {
          const { done } = await followVolumes(context);
          return { done: drains ? done : new Promise(() => {}) };
        },
      });
      const program = world.run([a], ["--leader-election", "--leader-election-namespace=default", "--http-endpoint=127.0.0.1:0", ...flags]);
      await program.until("it runs", async () =>
        (await program.get("/readyz?verbose").catch(() => [0, ""] as const))[1].includes("a ok (running)"),
      );
      program.signal();
      expect(await program.ended()).toBe(0);
      const stored = await world.cluster.admin.get(Lease, lease);
      expect(stored.spec?.holderIdentity ?? "").toBe(holder);
    });
  }

  test("of an individual program has upstream's name, no annotation, and is not released", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const a = fake("attacher", { kube: true });
    const program = world.run([a], ["--leader-election", "--leader-election-namespace=default"], { form: "individual" });
    await program.until("it runs", () => a.contexts.length === 1);
    program.signal();
    expect(await program.ended()).toBe(0);
    const stored = await world.cluster.admin.get(Lease, { namespace: "default", name: "external-attacher-leader-driver-example-com" });
    expect([stored.spec?.holderIdentity, stored.metadata?.annotations]).toEqual(["pod-1", undefined]);
  });
});
