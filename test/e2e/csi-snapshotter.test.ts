import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { Lease, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { type Capabilities, installDefinitions, presets } from "@csi-sidecars/testcluster";
import { contentOf, driverName, snapshotClass, volumeOf } from "../../components/snapshotter/content/testing/objects.ts";
import { createFreeLease, holderOf, legacySidecar, namespace, quickElection } from "./testing/election.ts";
import { publishedSnapshotterRoles } from "./testing/published-roles.ts";
import { until } from "./testing/until.ts";
import { rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const lease = "external-snapshotter-leader-csi-example-com";
const individual = { program: "csi-snapshotter" };
const snapshotting: Capabilities = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT"] };

/** As the EBS driver's chart runs it. */
const ebsFlags = [
  ...["--v=2", "--leader-election=true", "--kube-api-qps=20", "--kube-api-burst=100", "--extra-create-metadata", "--worker-threads=100"],
  ...["--retry-interval-max=30m", "--http-endpoint=127.0.0.1:0"],
];
/** Every flag that upstream has, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-timeout", "1m", "-resync-period=15m", "--snapshot-name-prefix=snapshot", "-snapshot-name-uuid-length", "-1"],
  ...["--groupsnapshot-name-prefix=groupsnapshot", "-groupsnapshot-name-uuid-length=-1", "-worker-threads", "10"],
  ...["--extra-create-metadata=false", "-retry-interval-start=1s", "--retry-interval-max=5m", "--node-deployment=false"],
  ...["-leader-election", "--leader-election-namespace=default", "-leader-election-lease-duration=15s", "--automaxprocs"],
  ...["-leader-election-renew-deadline=10s", "--leader-election-retry-period=5s", "--leader-election-labels=team:storage"],
  ...["-kube-api-qps=5", "-kube-api-burst=10", "--feature-gates=CSIVolumeGroupSnapshot=true,ReleaseLeaderElectionOnExit=false"],
  ...["--http-endpoint=127.0.0.1:0", "--metrics-path=/metrics", "-v=5", "--vmodule=a=1", "--logging-format=text"],
  ...["-log-flush-frequency=5s", "--log-text-split-stream=false", "--log-text-info-buffer-size=0"],
  ...["--log-json-split-stream=false", "--log-json-info-buffer-size=0"],
];

async function startWorld(capabilities: Capabilities = snapshotting): Promise<World> {
  const world = await startE2eWorld({ driver: { name: driverName, capabilities } });
  await installDefinitions(world.cluster.admin, snapshotDefinitions);
  world.driver.addVolume({ id: volumeOf("data") });
  return world;
}

async function snapshotTaken({ cluster: { admin } }: World): Promise<void> {
  await admin.create(VolumeSnapshotClass, snapshotClass());
  await admin.create(VolumeSnapshotContent, contentOf());
  await until("the snapshot", async () => (await admin.get(VolumeSnapshotContent, { name: "data" })).status?.readyToUse);
}

describe("csi-snapshotter", () => {
  test.each([
    ["the flags of the EBS driver", ebsFlags],
    ["every documented flag", documentedFlags],
  ])("with %s and upstream's published role: leads with upstream's lease, and takes a snapshot", async (_what, flags) => {
    await using world = await startWorld();
    const { cluster } = world;
    await createFreeLease(cluster, lease);
    const { name: user, kubeconfig } = await world.account(publishedSnapshotterRoles);
    const snapshotter = world.start("pod", [...flags, "-kubeconfig", kubeconfig], individual);
    await snapshotTaken(world);
    const { items: leases } = await cluster.admin.list(Lease, { namespace });
    expect(leases.map(({ metadata, spec }) => [metadata?.name, spec?.holderIdentity])).toEqual([[lease, "pod"]]);
    const [, metrics] = await snapshotter.get("/metrics");
    expect(metrics.split("\n").filter((line) => /^csi_sidecar_operations_seconds_count.*CreateSnapshot/.test(line))).toEqual([
      'csi_sidecar_operations_seconds_count{driver_name="csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Controller/CreateSnapshot"} 1',
    ]);
    expect(metrics).toContain('workqueue_adds_total{name="csi-snapshotter-content"}');
    expect((await snapshotter.get("/healthz/leader-election"))[0]).toBe(200);
    await snapshotter.end();
    expect(await holderOf(cluster, lease)).toBe("pod");
    expect((await cluster.requests({ user })).filter(({ code }) => code === 403)).toEqual([]);
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["a flag that was removed", 2, ["--connection-timeout=1s"], "connection-timeout"],
    ["a flag of the all-in-one", 2, ["--snapshotter-timeout=1s"], "snapshotter-timeout"],
    ["no prefix", 1, ["--snapshot-name-prefix="], "--snapshot-name-prefix must not be empty"],
    ["no prefix of groups", 1, ["--groupsnapshot-name-prefix="], "--groupsnapshot-name-prefix must not be empty"],
    ["a uid that is too long", 1, ["--snapshot-name-uuid-length=33"], "flag --snapshot-name-uuid-length: must be -1"],
    [
      "two places for metrics",
      1,
      ["--http-endpoint=:1", "--metrics-address=:2"],
      "nly one of `--metrics-address` and `--http-endpoint` can be set",
    ],
    [
      "leader election on every node",
      1,
      ["--leader-election", "--node-deployment"],
      "--node-deployment and --leader-election exclude each other",
    ],
    ["a logging format that does not exist", 1, ["--logging-format=xml"], "xml"],
    ["--version", 0, ["-version"], "csi-snapshotter v"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using world = await startE2eWorld({ driver: { name: driverName, capabilities: snapshotting } });
    const snapshotter = world.start("pod", args, individual);
    expect(await snapshotter.exit()).toBe(code);
    expect(snapshotter.output).toContain(says);
    expect(world.driver.calls()).toEqual([]);
  });

  test("a driver that takes no snapshots ends it with exit code 1", async () => {
    await using world = await startWorld(presets.minimal);
    const { kubeconfig } = await world.account(publishedSnapshotterRoles);
    const snapshotter = world.start("pod", [`--kubeconfig=${kubeconfig}`], individual);
    expect(await snapshotter.exit()).toBe(1);
    expect(snapshotter.output).toContain(`CSI driver ${driverName} does not support ControllerCreateSnapshot`);
  });
});

describe("the snapshotter in csi-sidecars", () => {
  test("takes snapshots beside others, with the roles that the program prints", async () => {
    await using world = await startWorld();
    const sidecar = world.start("pod", [
      "--controllers=provisioner,snapshotter",
      `--kubeconfig=${await world.kubeconfig("provisioner,snapshotter")}`,
      "--http-endpoint=127.0.0.1:0",
    ]);
    await snapshotTaken(world);
    expect(await sidecar.end()).toBe(0);
  });

  test("does not act while upstream's snapshotter holds its lease", async () => {
    await using world = await startWorld();
    using _legacy = await legacySidecar(world.cluster, lease);
    const { kubeconfig } = await world.account(rolesFor("snapshotter"));
    const flags = ["--controllers=snapshotter", `--kubeconfig=${kubeconfig}`, "--leader-election-migration=exit", ...quickElection];
    const sidecar = world.start("pod", flags);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain("scale down the deployment running the legacy csi-snapshotter");
    expect(world.driver.calls("CreateSnapshot")).toEqual([]);
  });
});
