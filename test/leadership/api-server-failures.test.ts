import { expect, test } from "bun:test";
import { type KubeObject, resource } from "@csi-sidecars/kube";
import { namespace } from "../e2e/testing/election.ts";
import { addAndAttach, addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import type { Replica } from "./testing/replica.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

test("when no replica can reach the API server nobody acts; afterwards one does", async () => {
  await using world = await startReplicas();
  const { leader } = await world.elected();
  await addAndAttach(world, "before", "node");
  for (const { api } of world.replicas) api.freeze();
  await addVolume(world, "during");
  await attach(world.cluster, "during", "node", world.driver.settings.name);
  await leader.process.logged("Lost leadership");
  expect(world.driver.calls("ControllerPublishVolume")).toHaveLength(1);
  for (const { api } of world.replicas) api.thaw();
  await attached(world.cluster, "during");
  const last = world.driver.calls("ControllerPublishVolume").at(-1);
  expect(last?.caller).toBe((await world.leader()).name);
  expect(world.driver.calls("ControllerPublishVolume")).toHaveLength(2);
});

test("an API server that is away for longer than the lease lasts finds one leader, which goes on", async () => {
  await using world = await startReplicas({ cluster: { own: true } });
  const { leader } = await world.elected();
  await addAndAttach(world, "before", "node");
  await world.cluster.stop("abrupt");
  await leader.process.logged("Lost leadership");
  await world.cluster.start();
  await addAndAttach(world, "after", "node");
  const calls = world.driver.calls("ControllerPublishVolume");
  expect(calls).toHaveLength(2);
  expect(calls[1]?.caller).toBe((await world.leader()).name);
  for (const { process } of world.replicas) expect(process.running).toBe(true);
});

interface RoleBinding extends KubeObject {
  readonly subjects?: readonly { readonly name: string }[];
}
const RoleBinding = resource<RoleBinding>("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", { namespaced: true });

/** Takes the namespaced roles of a replica away, which are for leases. Returns how to give them back. */
async function forbidLeases({ cluster: { admin } }: Replicas, { user }: Replica): Promise<() => Promise<void>> {
  const { items } = await admin.list(RoleBinding, { namespace });
  const bindings = items.filter(({ subjects }) => subjects?.some(({ name }) => name === user));
  expect(bindings).not.toEqual([]);
  for (const { metadata } of bindings) await admin.delete(RoleBinding, { namespace, name: metadata?.name ?? "" });
  return async () => {
    for (const { metadata, ...binding } of bindings)
      await admin.create(RoleBinding, { ...binding, metadata: { namespace, name: metadata?.name ?? "" } });
  };
}

test("a leader that is no longer allowed to renew is replaced, and competes again when it is", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "v0", "node");
  const allow = await forbidLeases(world, leader);
  expect(await world.leader(leader)).toBe(standby);
  await addAndAttach(world, "v1", "node");
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([1, 1]);
  expect(leader.process.output).toContain("is forbidden");
  await allow();
  await standby.process.end("SIGKILL");
  await addAndAttach(world, "v2", "node");
  expect(world.callsBy(leader)).toHaveLength(2);
});

/** Answers that the API server gives to every write of a lease; only the embedded server can be told to. */
const storms = [{ code: 500 }, { code: 409 }, { code: 429, retryAfterSeconds: 60 }] as const;

test.skipIf(process.env.TESTCLUSTER === "real").each(storms)(
  "a leader whose renewals are answered with %j is replaced; a short time of it changes nothing",
  async (status) => {
    await using world = await startReplicas();
    const { leader, standby } = await world.elected();
    const { faults } = world.cluster.embedded ?? {};
    const match = { resource: "leases", verb: "update", user: leader.user };
    const short = faults?.add({ match, action: { do: "status", code: status.code }, times: 1 });
    await until("a failed renewal", () => short?.hits === 1);
    await addAndAttach(world, "v1", "node");
    expect(await world.leader()).toBe(leader);
    faults?.add({ match, action: { do: "status", ...status } });
    expect(await world.leader(leader)).toBe(standby);
    await addAndAttach(world, "v2", "node");
    expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([1, 1]);
  },
);
