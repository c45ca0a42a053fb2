import { describe, expect, test } from "bun:test";
import { Event, Lease, mergePatch, Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@csi-sidecars/kube";
import { type Capabilities, presets, type Script, step } from "@csi-sidecars/testcluster";
import { claimOf, driverName, handleOf, volumeNameOf, volumeOf } from "../../components/health-monitor/testing/objects.ts";
import { createFreeLease, holderOf, legacySidecar, namespace, quickElection } from "./testing/election.ts";
import { publishedHealthMonitorRoles } from "./testing/published-roles.ts";
import { until } from "./testing/until.ts";
import { rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const lease = "external-health-monitor-leader-csi-example-com";
const source = `csi-pv-monitor-controller-${driverName}`;
const individual = { program: "csi-external-health-monitor-controller" };
const can = (...controller: Capabilities["controller"]): Capabilities => ({ ...presets.minimal, controller });
const listing = can("LIST_VOLUMES", "VOLUME_CONDITION");
const startWorld = (capabilities: Capabilities = listing, script: Script = {}) =>
  startE2eWorld({ driver: { name: driverName, capabilities, script } });

/** As upstream's example deployment runs it. */
const exampleFlags = ["--v=5", "--leader-election", "--http-endpoint=127.0.0.1:0"];
/** Every flag that upstream has, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-timeout", "15s", "-monitor-interval=1m", "--list-volumes-interval=5m", "-volume-list-add-interval", "5m"],
  ...["--node-list-add-interval=5m", "-worker-threads", "10", "-enable-node-watcher", "--resync=10m", "--automaxprocs"],
  ...["-leader-election", "--leader-election-namespace=default", "-leader-election-lease-duration=15s"],
  ...["-leader-election-renew-deadline=10s", "--leader-election-retry-period=5s", "--leader-election-labels=team:storage"],
  ...["-kube-api-qps=5", "-kube-api-burst=10", "--http-endpoint=127.0.0.1:0", "--metrics-path=/metrics", "-v=5", "--vmodule=a=1"],
  ...["--logging-format=text", "-log-flush-frequency=5s", "--log-text-split-stream=false", "--log-text-info-buffer-size=0"],
  ...["--log-json-split-stream=false", "--log-json-info-buffer-size=0"],
];

/** An abnormal volume whose claim is used by a pod. */
async function addAbnormalVolume({ cluster: { admin }, driver }: World): Promise<void> {
  driver.addVolume({ id: handleOf("data") });
  const volume = driver.volumes.get(handleOf("data"));
  if (volume) volume.abnormal = "the disk is on fire";
  const claim = await admin.create(PersistentVolumeClaim, claimOf());
  await admin.create(PersistentVolume, volumeOf({}, claim.metadata?.uid ?? ""));
  const bound = mergePatch({ status: { phase: "Bound" } });
  await admin.patch(PersistentVolume, { name: volumeNameOf("data") }, bound, { subresource: "status" });
  await admin.create(Node, { metadata: { name: "n1" } });
  await admin.create(Pod, {
    metadata: { namespace, name: "web" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      nodeName: "n1",
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
}

async function reported({ cluster: { admin } }: World, reason: string, message: string): Promise<void> {
  await until(`the event ${reason}`, async () => {
    const { items } = await admin.list(Event, { namespace });
    return items.some((event) => event.reason === reason && event.message === message && event.source?.component === source);
  });
}

describe("csi-external-health-monitor-controller", () => {
  test.each([
    ["the flags of upstream's example", exampleFlags],
    ["every documented flag", documentedFlags],
  ])("with %s and upstream's published role: leads with upstream's lease, and reports", async (_what, flags) => {
    await using world = await startWorld();
    const { cluster } = world;
    await addAbnormalVolume(world);
    await createFreeLease(cluster, lease);
    const { name: user, kubeconfig } = await world.account(publishedHealthMonitorRoles);
    const monitor = world.start("pod", [...flags, "-kubeconfig", kubeconfig], individual);
    await reported(world, "VolumeConditionAbnormal", "the disk is on fire");
    const watchesNodes = flags.includes("-enable-node-watcher");
    if (watchesNodes) {
      await monitor.logged("Watching nodes");
      await cluster.admin.delete(Node, { name: "n1" });
      await reported(world, "NodeFailed", "Pods: [ web ] consuming PVC: data in namespace: default are now on a failed node: n1");
    }
    const { items: leases } = await cluster.admin.list(Lease, { namespace });
    expect(leases.map(({ metadata, spec }) => [metadata?.name, spec?.holderIdentity])).toEqual([[lease, "pod"]]);
    const [, metrics] = await monitor.get("/metrics");
    expect(metrics).toContain(
      'csi_sidecar_operations_seconds_count{driver_name="csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Controller/ListVolumes"}',
    );
    expect((await monitor.get("/healthz/leader-election"))[0]).toBe(200);
    await monitor.end();
    expect(await holderOf(cluster, lease)).toBe("pod");
    const requests = await cluster.requests({ user });
    expect(requests.filter(({ code }) => code === 403)).toEqual([]);
    expect(requests.some(({ resource }) => resource === "nodes" || resource === "pods")).toBe(watchesNodes);
    expect(requests.filter(({ userAgent }) => !userAgent.startsWith("csi-external-health-monitor-controller/"))).toEqual([]);
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["gates, which upstream does not have", 2, ["--feature-gates=A=true"], "feature-gates"],
    ["a flag of the all-in-one", 2, ["--health-monitor-timeout=1s"], "health-monitor-timeout"],
    ["a flag that upstream does not have", 2, ["--node-not-ready-duration=1m"], "node-not-ready-duration"],
    ["a negative number of workers", 2, ["--worker-threads=-1"], "worker-threads"],
    ["no workers", 1, ["--worker-threads=0"], "for flag --worker-threads: must be greater than zero"],
    [
      "two places for metrics",
      1,
      ["--http-endpoint=:1", "--metrics-address=:2"],
      "Only one of `--metrics-address` and `--http-endpoint` can be set",
    ],
    ["a logging format that does not exist", 1, ["--logging-format=xml"], "xml"],
    ["--version", 0, ["-version"], "csi-external-health-monitor-controller v"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using world = await startWorld();
    const monitor = world.start("pod", args, individual);
    expect(await monitor.exit()).toBe(code);
    expect(monitor.output).toContain(says);
    expect(world.driver.calls()).toEqual([]);
  });

  const unsupported = "CSI driver does not support Controller ListVolumes and GetVolume service or does not implement VolumeCondition";
  test.each<[string, Capabilities, Script, string]>([
    ["reports no conditions", can("LIST_VOLUMES", "GET_VOLUME"), {}, unsupported],
    ["neither lists nor gets volumes", can("VOLUME_CONDITION"), {}, unsupported],
    ["has no controller service", presets.nodeOnly, {}, "CSI driver does not support Plugin Controller Service"],
    [
      "fails to say what it can do",
      listing,
      { ControllerGetCapabilities: Array(9).fill(step.fail("Internal", "broken")) },
      "code = Internal desc = broken",
    ],
  ])("a driver that %s ends it with exit code 1", async (_what, capabilities, script, says) => {
    await using world = await startWorld(capabilities, script);
    const { name: user, kubeconfig } = await world.account(publishedHealthMonitorRoles);
    const monitor = world.start("pod", [`--kubeconfig=${kubeconfig}`], individual);
    expect(await monitor.exit()).toBe(1);
    expect(monitor.output).toContain(says);
    const objects = (await world.cluster.requests({ user })).filter(
      ({ resource }) => resource.startsWith("persistent") || resource === "events",
    );
    expect(objects).toEqual([]);
  });

  test("a driver that only gets volumes is served", async () => {
    await using world = await startWorld(can("GET_VOLUME", "VOLUME_CONDITION"));
    await addAbnormalVolume(world);
    const { kubeconfig } = await world.account(publishedHealthMonitorRoles);
    const monitor = world.start("pod", [`--kubeconfig=${kubeconfig}`, "--monitor-interval=1s"], individual);
    await reported(world, "VolumeConditionAbnormal", "the disk is on fire");
    expect(await monitor.end()).toBe(0);
    expect(world.driver.calls("ListVolumes")).toEqual([]);
  });
});

describe("the health monitor in csi-sidecars", () => {
  test("reports beside others, with the roles that the program prints", async () => {
    await using world = await startWorld(can("CREATE_DELETE_VOLUME", "LIST_VOLUMES", "VOLUME_CONDITION"));
    await addAbnormalVolume(world);
    const flags = ["--controllers=provisioner,volume-health-monitor", "--http-endpoint=127.0.0.1:0"];
    const sidecar = world.start("pod", [...flags, `--kubeconfig=${await world.kubeconfig("provisioner,health-monitor")}`]);
    await reported(world, "VolumeConditionAbnormal", "the disk is on fire");
    expect(await sidecar.end()).toBe(0);
  });

  test("is disabled beside others where the driver reports no conditions, with an error in the log and in a metric", async () => {
    await using world = await startWorld(presets.attachable);
    const controllers = "--controllers=attacher,health-monitor";
    const kubeconfig = await world.kubeconfig("attacher,health-monitor");
    const sidecar = world.start("pod", [controllers, `--kubeconfig=${kubeconfig}`, "--http-endpoint=127.0.0.1:0"]);
    await sidecar.logged("controller disabled: CSI driver does not support Controller ListVolumes and GetVolume service");
    const [, metrics] = await sidecar.get("/metrics");
    expect(metrics).toContain('csi_sidecars_controller_enabled{controller="health-monitor"} 0');
    expect(metrics).toContain('csi_sidecars_controller_enabled{controller="attacher"} 1');
    expect(await sidecar.end()).toBe(0);
  });

  test("does not act while upstream's holds its lease", async () => {
    await using world = await startWorld();
    using _legacy = await legacySidecar(world.cluster, lease);
    const { kubeconfig } = await world.account(rolesFor("health-monitor"));
    const flags = ["--controllers=health-monitor", `--kubeconfig=${kubeconfig}`, "--leader-election-migration=exit", ...quickElection];
    const sidecar = world.start("pod", flags);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain("scale down the deployment running the legacy csi-external-health-monitor-controller");
    expect(world.driver.calls("ListVolumes")).toEqual([]);
  });
});
