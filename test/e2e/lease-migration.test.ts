import { describe, expect, test } from "bun:test";
import { Lease } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { attacherLease, consolidatedLease, holderOf, leaseNamed, legacySidecar, namespace, quickElection } from "./testing/election.ts";
import { addAndAttach, addNode } from "./testing/objects.ts";
import type { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { type Account, rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const status = "migration.csi.k8s.io/status";
const migrated = "migration.csi.k8s.io/controllers";
const instruction =
  `legacy leader election lease ${namespace}/${attacherLease} is held by "old-pod" and still being renewed: ` +
  "scale down the deployment running the legacy csi-attacher, then";
/** As the log quotes them. */
const refusal = `${instruction} restart`.replaceAll('"', '\\"');
const patience = `${instruction} this process continues by itself`.replaceAll('"', '\\"');

/** A node to attach to, and csi-sidecars as a user whose requests can be told from others'. */
interface Migration extends World {
  readonly user: Account;
  csiSidecars(mode: "exit" | "wait" | "skip" | "auto", controllers?: string): SidecarProcess;
}

async function startMigration(): Promise<Migration> {
  const world = await startE2eWorld();
  await addNode(world.cluster, "node", world.driver.settings.name);
  const user = await world.account(rolesFor("attacher"));
  const csiSidecars: Migration["csiSidecars"] = (mode, controllers = "attacher") =>
    world.start("new-pod", [
      `--controllers=${controllers}`,
      `--kubeconfig=${user.kubeconfig}`,
      "--http-endpoint=127.0.0.1:0",
      `--leader-election-migration=${mode}`,
      ...quickElection,
    ]);
  return { ...world, user, csiSidecars };
}

/** What a sidecar left that died without a word. */
async function staleLease(cluster: Cluster, holderIdentity = "old-pod"): Promise<void> {
  const spec = { holderIdentity, leaseDurationSeconds: 2, leaseTransitions: 4, renewTime: "2026-01-01T00:00:00.000000Z" };
  await cluster.admin.create(Lease, { metadata: { namespace, name: attacherLease }, spec });
}

/** What the consolidated lease is like when it was migrated for these controllers. */
async function migratedLease(cluster: Cluster, controllers: string): Promise<void> {
  const annotations = { [status]: "completed", [migrated]: controllers };
  await cluster.admin.create(Lease, { metadata: { namespace, name: consolidatedLease, annotations }, spec: { leaseTransitions: 1 } });
}

async function marker({ cluster }: World): Promise<Readonly<Record<string, string>>> {
  const annotations = (await leaseNamed(cluster, consolidatedLease))?.metadata?.annotations ?? {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith("migration.")));
}

/** What our user asked about leases and attachments, as `verb name`; repetitions once. */
async function asked({ cluster, user }: Migration): Promise<readonly string[]> {
  const lines = (await cluster.requests({ user: user.name }))
    .filter(({ resource, code }) => ["leases", "volumeattachments"].includes(resource) && code < 400)
    .map(({ verb, resource, name }) => (resource === "leases" ? `${verb} ${name}` : `${verb} ${resource}`));
  return lines.filter((line, at) => line !== lines[at - 1]);
}

/** Which of these requests is the first of a cache; -1: none. */
const workBegins = (lines: readonly string[]) => lines.findIndex((line) => line.endsWith(" volumeattachments"));

/** Deployed roles allow no patch, and seized leases are never left behind. */
async function expectTidyLeases({ cluster, user }: Migration): Promise<void> {
  const verbs = new Set((await cluster.requests({ user: user.name, resource: "leases" })).map(({ verb }) => verb));
  expect([...verbs].filter((verb) => !["get", "create", "update"].includes(verb))).toEqual([]);
  expect((await holderOf(cluster, attacherLease)) ?? "").not.toContain("csi-sidecars");
}

describe("a running legacy attacher", () => {
  test.each(["exit", "auto"] as const)("mode %s: the log names its lease, nothing is attached, exit code 1", async (mode) => {
    await using world = await startMigration();
    using _ = await legacySidecar(world.cluster, attacherLease);
    const sidecar = world.csiSidecars(mode);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain(refusal);
    expect(await leaseNamed(world.cluster, consolidatedLease)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(await marker(world)).toEqual({});
    expect(await holderOf(world.cluster, attacherLease)).toBe("old-pod");
    expect(workBegins(await asked(world))).toBe(-1);
    expect(await asked(world)).not.toContain(`update ${attacherLease}`);
    await expectTidyLeases(world);
  });

  test("mode wait: the process is ready, and starts to work when the legacy attacher ends", async () => {
    await using world = await startMigration();
    const legacy = await legacySidecar(world.cluster, attacherLease);
    const sidecar = world.csiSidecars("wait");
    await sidecar.logged(patience);
    expect(await sidecar.get("/readyz")).toEqual([200, "ok"]);
    expect((await sidecar.get("/metrics"))[1]).toContain(`csi_sidecars_legacy_lease_held{lease="${attacherLease}"} 1`);
    expect(workBegins(await asked(world))).toBe(-1);
    legacy[Symbol.dispose]();
    await addAndAttach(world, "data", "node");
    expect(await marker(world)).toEqual({ [status]: "completed", [migrated]: "attacher" });
    await expectTidyLeases(world);
    expect(await sidecar.end()).toBe(0);
  });

  test("mode auto waits where the process also answers the driver's liveness probe", async () => {
    await using world = await startMigration();
    using _ = await legacySidecar(world.cluster, attacherLease);
    const sidecar = world.csiSidecars("auto", "attacher,livenessprobe");
    await sidecar.logged(patience);
    expect(await sidecar.get("/healthz")).toEqual([200, "ok"]);
    expect(workBegins(await asked(world))).toBe(-1);
    expect(await sidecar.end()).toBe(0);
    await expectTidyLeases(world);
  });

  test("mode skip: its lease is never read", async () => {
    await using world = await startMigration();
    using _ = await legacySidecar(world.cluster, attacherLease);
    const sidecar = world.csiSidecars("skip");
    await addAndAttach(world, "data", "node");
    expect((await asked(world)).filter((line) => line.includes(attacherLease))).toEqual([]);
    expect(await marker(world)).toEqual({});
    await expectTidyLeases(world);
    expect(await sidecar.end()).toBe(0);
  });
});

describe("no legacy attacher runs", () => {
  test("it never had a lease: none is created, the marker is set", async () => {
    await using world = await startMigration();
    const sidecar = world.csiSidecars("exit");
    await addAndAttach(world, "data", "node");
    expect(await leaseNamed(world.cluster, attacherLease)).toBeUndefined();
    expect(await marker(world)).toEqual({ [status]: "completed", [migrated]: "attacher" });
    await expectTidyLeases(world);
    expect(await sidecar.end()).toBe(0);
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("");
  });

  test.each([
    ["died", "old-pod"],
    ["had our pod's name, and died", "new-pod"],
  ])("its lease is stale because it %s: taken over, marked, released, and then work begins", async (_what, holder) => {
    await using world = await startMigration();
    await staleLease(world.cluster, holder);
    const sidecar = world.csiSidecars("exit");
    await addAndAttach(world, "data", "node");
    expect((await leaseNamed(world.cluster, attacherLease))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 5 });
    expect(await marker(world)).toEqual({ [status]: "completed", [migrated]: "attacher" });
    const order = await asked(world);
    const seized = order.indexOf(`update ${attacherLease}`);
    const marked = order.indexOf(`update ${consolidatedLease}`, seized);
    const released = order.indexOf(`update ${attacherLease}`, marked);
    expect(seized).toBeGreaterThan(0);
    expect([seized, marked, released, workBegins(order)]).toEqual([seized, marked, released, workBegins(order)].toSorted((a, b) => a - b));
    await expectTidyLeases(world);
    expect(await sidecar.end()).toBe(0);
  });

  test("it was migrated before: its lease is read once before work begins, and not written", async () => {
    await using world = await startMigration();
    await staleLease(world.cluster, "");
    await migratedLease(world.cluster, "attacher");
    const sidecar = world.csiSidecars("exit");
    await addAndAttach(world, "data", "node");
    const order = await asked(world);
    expect(order.slice(0, workBegins(order)).filter((line) => line.includes(attacherLease))).toEqual([`get ${attacherLease}`]);
    expect(order).not.toContain(`update ${attacherLease}`);
    expect(await sidecar.end()).toBe(0);
  });

  test("others were migrated before, and the attacher is added: only its lease is taken over", async () => {
    await using world = await startMigration();
    await staleLease(world.cluster);
    await migratedLease(world.cluster, "resizer");
    const sidecar = world.csiSidecars("exit");
    await addAndAttach(world, "data", "node");
    expect(await marker(world)).toEqual({ [status]: "completed", [migrated]: "attacher,resizer" });
    expect((await leaseNamed(world.cluster, attacherLease))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 5 });
    await expectTidyLeases(world);
    expect(await sidecar.end()).toBe(0);
  });

  test("SIGTERM while a stale lease is watched: exit code 0, and no lease is held", async () => {
    await using world = await startMigration();
    await staleLease(world.cluster);
    const sidecar = world.csiSidecars("exit");
    await until("it watches", async () => (await asked(world)).includes(`get ${attacherLease}`));
    expect(await sidecar.end()).toBe(0);
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("");
    expect(await holderOf(world.cluster, attacherLease)).toBe("old-pod");
    expect(await marker(world)).toEqual({});
    await expectTidyLeases(world);
  });
});
