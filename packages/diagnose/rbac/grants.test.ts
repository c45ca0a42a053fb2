import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { createClient, isForbidden, Lease, PersistentVolume, resource, reviewAccess } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { applyFor } from "../testing/apply-manifests.ts";
import { allInOne } from "../testing/programs.ts";
import { rbacCommand } from "./rbac-command.ts";

const kind = (group: string, plural: string) => resource(group ? `${group}/v1` : "v1", plural, plural, { namespaced: true });

test("who holds the generated roles may do what they say, and nothing else", async () => {
  await using cluster = await startCluster();
  const user = cluster.newUser();
  const { stdout } = rbacCommand(["--controllers=mover,maker", "--enable-capacity"], allInOne);
  await applyFor(cluster, user, stdout);
  const client = createClient({
    transport: cluster.transport(user.token),
    clock: systemClock,
    log: silentLogger,
    name: "user",
    qps: -1,
    burst: 0,
  });
  const may = async (verb: string, group: string, plural: string, more: { namespace?: string; subresource?: string } = {}) =>
    (await reviewAccess(client, { verb, resource: kind(group, plural), ...more })).allowed;
  const leases = ["coordination.k8s.io", "leases"] as const;
  const own = { namespace: "default" };

  const table: [string, Promise<boolean>, boolean][] = [
    ["patch volumes", may("patch", "", "persistentvolumes"), true],
    ["delete volumes", may("delete", "", "persistentvolumes"), true],
    ["update volumes", may("update", "", "persistentvolumes"), false],
    ["patch the status of attachments", may("patch", "storage.k8s.io", "volumeattachments", { subresource: "status" }), true],
    ["get secrets anywhere", may("get", "", "secrets", { namespace: "kube-system" }), true],
    ["list secrets", may("list", "", "secrets"), false],
    ["create capacities here", may("create", "storage.k8s.io", "csistoragecapacities", own), true],
    ["create capacities elsewhere", may("create", "storage.k8s.io", "csistoragecapacities", { namespace: "kube-system" }), false],
    ["update leases here", may("update", ...leases, own), true],
    ["update leases elsewhere", may("update", ...leases, { namespace: "kube-system" }), false],
    ["patch leases", may("patch", ...leases, own), false],
    ["delete leases", may("delete", ...leases, own), false],
  ];
  expect(await Promise.all(table.map(async ([what, answer]) => [what, await answer]))).toEqual(
    table.map(([what, , allowed]) => [what, allowed]),
  );
  await client.list(PersistentVolume);
  expect(await client.list(Lease, own).catch(isForbidden)).toBe(true);
});
