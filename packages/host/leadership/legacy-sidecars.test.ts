import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { ignoreNotFound, LeaderElector, Lease, type V1Lease } from "@csi-sidecars/kube";
import { fake, fakeProbe } from "../manager/testing/components.ts";
import { type RunningProgram, startWorld } from "../manager/testing/world.ts";
import { statusAnnotation } from "./migration-marker.ts";
import { withoutDeadlines } from "./testing/without-deadlines.ts";

setDefaultTimeout(30_000);

type World = Awaited<ReturnType<typeof startWorld>>;

const namespace = "default";
const flags = ["--leader-election", `--leader-election-namespace=${namespace}`, "--http-endpoint=127.0.0.1:0"];
const consolidated = "csi-sidecars-driver-example-com";
const legacy = "external-a-leader-driver-example-com";
const text = `legacy leader election lease default/${legacy} is held by "old-pod" and still being renewed: scale down the deployment running the legacy csi-a, then restart`;
const elected = () => fake("a", { kube: true });

const leaseIn = ({ cluster }: World, name: string): Promise<V1Lease | undefined> =>
  ignoreNotFound(cluster.admin.get(Lease, { namespace, name }));

/** Renews as the program's clock goes; resolves when the lease is its own. */
async function legacySidecar({ cluster }: World, { clock }: RunningProgram): Promise<{ die(): void }> {
  const death = new AbortController();
  const lease = { namespace, name: legacy };
  const client = withoutDeadlines(cluster.admin);
  await new Promise<void>((resolve) => {
    const elector = new LeaderElector({ client, lease, identity: "old-pod", clock, onObserved: () => resolve() });
    void elector.run(death.signal);
  });
  return { die: () => death.abort() };
}

/** Held, and not renewed as long as nobody moves a clock. */
async function staleLease({ cluster }: World): Promise<void> {
  const spec = { holderIdentity: "old-pod", leaseDurationSeconds: 15, leaseTransitions: 2 };
  await cluster.admin.create(Lease, { metadata: { namespace, name: legacy }, spec });
}

describe("csi-sidecars beside a legacy sidecar", () => {
  test("names the one that blocks it, and exits", async () => {
    await using world = await startWorld({ cluster: true });
    const a = elected();
    const program = world.run([a], flags);
    const sidecar = await legacySidecar(world, program);
    await world.driver();
    expect(await program.ended()).toBe(1);
    sidecar.die();
    expect(program.stderr()).toContain(text.replaceAll('"', '\\"'));
    expect(await world.terminationMessage()).toBe(text);
    expect(a.contexts).toEqual([]);
    expect(await leaseIn(world, consolidated)).toMatchObject({ spec: { holderIdentity: "" } });
    expect((await leaseIn(world, consolidated))?.metadata?.annotations?.[statusAnnotation]).toBeUndefined();
  });

  test("waits for its end where the kubelet asks through us for the driver, and stays ready", async () => {
    await using world = await startWorld({ cluster: true });
    const a = elected();
    const program = world.run([a, fakeProbe()], flags);
    const sidecar = await legacySidecar(world, program);
    await world.driver();
    const page = async () => (await program.get("/readyz?verbose"))[1];
    const watched = `[+]a ok (waiting: it is made sure that no legacy sidecar holds its lease: default/${legacy})`;
    await program.until("it is watched", async () => (await page()).includes(watched));
    await program.until("it is told", () => program.stderr().includes("and still being renewed"));
    expect(await program.get("/readyz?verbose")).toEqual([
      200,
      expect.stringContaining(`[+]a ok (waiting: legacy leader election lease default/${legacy} is held by "old-pod")`),
    ]);
    expect((await program.get("/metrics"))[1]).toContain(`csi_sidecars_legacy_lease_held{lease="${legacy}"} 1`);
    expect(a.contexts).toEqual([]);
    sidecar.die();
    await program.until("it runs", () => a.contexts.length === 1);
    expect(program.code).toBeUndefined();
    expect(await world.terminationMessage()).toBe("");
    expect((await leaseIn(world, consolidated))?.metadata?.annotations?.[statusAnnotation]).toBe("completed");
  });

  test("asked to stop while it checks: exits cleanly, and keeps no lease", async () => {
    await using world = await startWorld({ cluster: true });
    await staleLease(world);
    const free = "external-b-leader-driver-example-com";
    await world.cluster.admin.create(Lease, { metadata: { namespace, name: free }, spec: { holderIdentity: "", leaseTransitions: 0 } });
    const program = world.run([elected(), fake("b", { kube: true })], flags);
    await world.driver();
    await program.until("one is seized", async () => (await leaseIn(world, free))?.spec?.holderIdentity !== "");
    program.signal();
    expect(await program.ended()).toBe(0);
    for (const name of [free, consolidated]) expect((await leaseIn(world, name))?.spec?.holderIdentity).toBe("");
    expect((await leaseIn(world, legacy))?.spec?.holderIdentity).toBe("old-pod");
  });

  test("notices that it was rolled back, and exits", async () => {
    await using world = await startWorld({ cluster: true });
    const a = elected();
    const program = world.run([a], flags);
    await world.driver();
    await program.until("it runs", () => a.contexts.length === 1);
    const sidecar = await legacySidecar(world, program);
    expect(await program.ended()).toBe(1);
    sidecar.die();
    expect(await world.terminationMessage()).toBe(text);
    expect(a.contexts[0]?.signal.aborted).toBe(true);
  });
});
