import { describe, expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { type CustomResourceDefinition, snapshotDefinitions } from "@csi-sidecars/crds";
import { component, gate } from "@csi-sidecars/host";
import { mergePatch, resource, VolumeGroupSnapshot, VolumeSnapshot, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { type Cluster, installDefinitions, startCluster } from "@csi-sidecars/testcluster";
import { individual } from "../testing/programs.ts";
import { checkCommand } from "./check-command.ts";

/** A component as the snapshot-controller is one. */
const binder = component({
  name: "binder",
  standalone: "binder",
  leadership: "none",
  kube: true,
  driver: "none",
  processFlags: ["kubeconfig", "feature-gates"],
  flags: {},
  gates: { Groups: gate(true, "GA", "Bind groups.") },
  kinds: [
    { kinds: [VolumeSnapshot, VolumeSnapshotClass], without: "nothing is bound", remedy: "install them" },
    {
      kinds: [VolumeGroupSnapshot],
      without: "no groups are bound; snapshots are",
      remedy: "install groups",
      optional: true,
      gate: "Groups",
    },
  ],
  rbac: () => ({
    cluster: [
      { apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshots", "volumesnapshotclasses"], verbs: ["get"] },
      {
        apiGroups: ["groupsnapshot.storage.k8s.io"],
        resources: ["volumegroupsnapshots"],
        verbs: ["get"],
        because: "groups",
        gate: "Groups",
      },
    ],
    namespaced: [],
  }),
  start: async () => ({ done: Promise.resolve() }),
});

const Definition = resource("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", { namespaced: false });
const named = (...kinds: string[]) => snapshotDefinitions.filter(({ spec }) => kinds.includes(spec.names.kind));
const single = named("VolumeSnapshot", "VolumeSnapshotClass");
const group = named("VolumeGroupSnapshot");

/** As an older release had it: without v1. */
const withoutV1 = (definition: CustomResourceDefinition): CustomResourceDefinition => ({
  ...definition,
  spec: { ...definition.spec, versions: definition.spec.versions.filter(({ name }) => name !== "v1") },
});

async function findingsOf(cluster: Cluster, token: string, ...argv: readonly string[]) {
  const files = { read: () => cluster.kubeconfig(token) };
  const line = ["--kubeconfig=/kubeconfig", "-o=json", ...argv];
  const { exitCode, stdout } = await checkCommand(line, individual(binder), { env: {}, clock: systemClock, files });
  const { findings }: { findings: { severity: string; area: string; message: string; remedy?: string }[] } = JSON.parse(stdout);
  const rows = findings.filter(({ area }) => area === "API");
  return { exitCode, rows: rows.map(({ severity, message, remedy }) => `${severity}: ${message} -> ${remedy}`) };
}

describe("custom kinds that a component declares", () => {
  const noSnapshots =
    "error: volumesnapshots.snapshot.storage.k8s.io is not served, volumesnapshotclasses.snapshot.storage.k8s.io is not served: nothing is bound -> install them";
  const noGroups =
    "warning: volumegroupsnapshots.groupsnapshot.storage.k8s.io is not served: no groups are bound; snapshots are -> install groups";
  test.each<[what: string, installed: readonly CustomResourceDefinition[], argv: readonly string[], exitCode: 0 | 1, rows: string[]]>([
    ["nothing is installed", [], [], 1, [noSnapshots, noGroups]],
    ["nothing is installed, and groups are disabled", [], ["--feature-gates=Groups=false"], 1, [noSnapshots]],
    ["groups are not installed", single, [], 0, [noGroups]],
    [
      "one of two is not installed",
      [...named("VolumeSnapshot"), ...group],
      [],
      1,
      ["error: volumesnapshotclasses.snapshot.storage.k8s.io is not served: nothing is bound -> install them"],
    ],
    [
      "an older release is installed",
      [...single, ...group.map(withoutV1)],
      [],
      0,
      [
        "warning: volumegroupsnapshots.groupsnapshot.storage.k8s.io is served as v1beta2, v1beta1, but not as v1: no groups are bound; snapshots are -> install groups",
      ],
    ],
    ["all is installed", [...single, ...group], [], 0, []],
  ])("%s", async (_, installed, argv, exitCode, rows) => {
    await using cluster = await startCluster();
    await installDefinitions(cluster.admin, installed);
    expect(await findingsOf(cluster, cluster.adminToken, ...argv)).toEqual({ exitCode, rows });
  });
});

test("objects that may still be stored in an old version are told, to whom may read definitions", async () => {
  await using cluster = await startCluster();
  await installDefinitions(cluster.admin, [...single, ...group]);
  const upgraded = mergePatch({ status: { storedVersions: ["v1beta1", "v1"] } });
  await cluster.admin.patch(Definition, { name: "volumesnapshots.snapshot.storage.k8s.io" }, upgraded, { subresource: "status" });
  expect((await findingsOf(cluster, cluster.adminToken)).rows).toEqual([
    "warning: objects of volumesnapshots.snapshot.storage.k8s.io may still be stored as v1beta1 instead of v1 -> write each of them once, and remove v1beta1 from status.storedVersions of the CustomResourceDefinition, before a newer one without that version is installed",
  ]);
  expect((await findingsOf(cluster, cluster.newUser().token)).rows).toEqual([]);
});
