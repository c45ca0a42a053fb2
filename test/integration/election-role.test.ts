import { expect, test } from "bun:test";
import { rbacCommand } from "@csi-sidecars/diagnose/rbac";
import { startCluster } from "@csi-sidecars/testcluster";
import { applyFor } from "../../packages/diagnose/testing/apply-manifests.ts";
import { allInOne } from "../../packages/diagnose/testing/programs.ts";
import { LeadershipWorld } from "../../packages/host/leadership/testing/leadership-world.ts";

test("the role of the election is enough to lead, to migrate and to guard", async () => {
  await using cluster = await startCluster();
  const user = cluster.newUser();
  await applyFor(cluster, user, rbacCommand(["--controllers=mover"], allInOne).stdout);
  const world = new LeadershipWorld(cluster);
  await world.createLease("external-resizer-driver-example-com", { holderIdentity: "dead", leaseDurationSeconds: 15, leaseTransitions: 1 });
  const us = world.candidate({ client: world.client({ token: user.token }) });
  expect(await world.until("started", () => us.started !== undefined)).toBe(15_000);
  await world.pass(120_000);
  expect(us.end).toBeUndefined();
  us.stop.abort();
  await world.settle();
  expect(us.end).toEqual({ reason: "released" });
  expect((await cluster.requests({ user: user.name })).filter(({ code }) => code === 403)).toEqual([]);
  await world.end();
});
