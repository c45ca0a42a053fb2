import { describe, expect, test } from "bun:test";
import { Event, Lease, mergePatch, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { type Capabilities, presets, type Script, step } from "@csi-sidecars/testcluster";
import { claimOf, className, driverName, handleOf, inDefault, statusOf, volumeOf } from "../../components/resizer/testing/objects.ts";
import { createFreeLease, holderOf, legacySidecar, namespace, quickElection } from "./testing/election.ts";
import { publishedResizerRoles } from "./testing/published-roles.ts";
import { until } from "./testing/until.ts";
import { rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const lease = "external-resizer-csi-example-com";
const can = (...controller: Capabilities["controller"]): Capabilities => ({ ...presets.attachable, controller });
const noNodeService: Script = { NodeGetCapabilities: Array(100).fill(step.fail("Unimplemented", "unknown service csi.v1.Node")) };
const startWorld = (capabilities: Capabilities, script: Script = {}) =>
  startE2eWorld({ driver: { name: driverName, capabilities, script } });
const individual = { program: "csi-resizer" };

/** As the EBS driver's chart runs it. */
const ebsFlags = [
  ...["--timeout=60s", "--v=2", "--leader-election=true", "--kube-api-qps=20", "--kube-api-burst=100", "--workers=100"],
  ...["--retry-interval-max=30m", "--extra-modify-metadata", "--handle-volume-inuse-error=false", "--http-endpoint=127.0.0.1:0"],
];
/** Every flag that upstream has, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-timeout", "10s", "-workers", "10", "--retry-interval-start=1s", "-retry-interval-max=5m", "-resync-period=10m"],
  ...["-extra-modify-metadata=false", "--handle-volume-inuse-error=true", "-master=", "-leader-election", "--automaxprocs"],
  ...["--leader-election-namespace=default", "-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s"],
  ...["-leader-election-retry-period=5s", "--leader-election-labels=team:storage", "-kube-api-qps=5", "-kube-api-burst=10"],
  ...["--feature-gates=AnnotateFsResize=true, RecoverVolumeExpansionFailure=true", "--feature-gates=VolumeAttributesClass=true"],
  ...["--http-endpoint=127.0.0.1:0", "--metrics-path=/metrics", "-v=5", "--logging-format=text", "-log-flush-frequency=5s"],
];

/** A bound claim of 1Gi that asks for 2Gi, and its volume. */
async function addGrowingClaim({ cluster: { admin }, driver }: World): Promise<void> {
  driver.addVolume({ id: handleOf("data") });
  await admin.create(StorageClass, { metadata: { name: className }, provisioner: driverName, allowVolumeExpansion: true });
  const claim = await admin.create(PersistentVolumeClaim, claimOf());
  await admin.create(PersistentVolume, volumeOf({}, claim.metadata?.uid ?? ""));
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: statusOf() }), { subresource: "status" });
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ spec: { resources: { requests: { storage: "2Gi" } } } }));
}

async function grown({ cluster: { admin } }: World): Promise<void> {
  await until(
    "the claim has grown",
    async () => (await admin.get(PersistentVolumeClaim, inDefault("data"))).status?.capacity?.storage === "2Gi",
  );
}

describe("csi-resizer", () => {
  test.each([
    ["the flags of the EBS driver", ebsFlags],
    ["every documented flag", documentedFlags],
  ])("with %s and upstream's published role: leads with upstream's lease, and expands", async (_what, flags) => {
    await using world = await startWorld(can("EXPAND_VOLUME", "MODIFY_VOLUME"));
    const { cluster } = world;
    await createFreeLease(cluster, lease);
    const { name: user, kubeconfig } = await world.account(publishedResizerRoles);
    const resizer = world.start("pod", [...flags, "-kubeconfig", kubeconfig], individual);
    await addGrowingClaim(world);
    await grown(world);
    const { items: leases } = await cluster.admin.list(Lease, { namespace });
    expect(leases.map(({ metadata, spec }) => [metadata?.name, spec?.holderIdentity])).toEqual([[lease, "pod"]]);
    await until("the event", async () => {
      const { items } = await cluster.admin.list(Event, { namespace });
      return items.some(
        ({ reason, source }) => reason === "VolumeResizeSuccessful" && source?.component === `external-resizer ${driverName}`,
      );
    });
    const [, metrics] = await resizer.get("/metrics");
    expect(metrics.split("\n").filter((line) => /^csi_sidecar_operations_seconds_count.*ControllerExpandVolume/.test(line))).toEqual([
      'csi_sidecar_operations_seconds_count{driver_name="csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Controller/ControllerExpandVolume"} 1',
    ]);
    expect((await resizer.get("/healthz/leader-election"))[0]).toBe(200);
    await resizer.end();
    expect(await holderOf(cluster, lease)).toBe("pod");
    expect((await cluster.requests({ user })).filter(({ code }) => code === 403)).toEqual([]);
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["a value that is no duration", 2, ["--timeout=soon"], "timeout"],
    ["labels that are none", 2, ["--leader-election-labels=team"], "malformed item in list of labels"],
    ["a flag of the all-in-one", 2, ["--resizer-timeout=1s"], "resizer-timeout"],
    ["no workers", 1, ["--workers=0"], "for flag --workers: must be greater than zero"],
    [
      "two places for metrics",
      1,
      ["--http-endpoint=:1", "--metrics-address=:2"],
      "Only one of `--metrics-address` and `--http-endpoint` can be set",
    ],
    ["an unknown gate", 1, ["--feature-gates=Nonsense=true"], "unrecognized feature gate: Nonsense"],
    ["a logging format that does not exist", 1, ["--logging-format=xml"], "xml"],
    ["--version", 0, ["-version"], "csi-resizer v"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using world = await startWorld(can("EXPAND_VOLUME"));
    const resizer = world.start("pod", args, individual);
    expect(await resizer.exit()).toBe(code);
    expect(resizer.output).toContain(says);
    expect(world.driver.calls()).toEqual([]);
  });

  test.each<[string, Capabilities, Script, string]>([
    ["neither expands nor modifies", can(), {}, "CSI driver does not support resize nor modify"],
    ["neither, and has no node service", can(), noNodeService, "CSI driver does not support resize nor modify"],
    ["has no controller service", presets.nodeOnly, {}, "CSI driver does not support controller service"],
    [
      "fails to say what it can do",
      can(),
      { ControllerGetCapabilities: Array(9).fill(step.fail("Internal", "broken")) },
      "code = Internal desc = broken",
    ],
  ])("a driver that %s ends it with exit code 1", async (_what, capabilities, script, says) => {
    await using world = await startWorld(capabilities, script);
    const { kubeconfig } = await world.account(publishedResizerRoles);
    const resizer = world.start("pod", [`--kubeconfig=${kubeconfig}`], individual);
    expect(await resizer.exit()).toBe(1);
    expect(resizer.output).toContain(says);
  });

  test("a driver that only modifies, without a node service on its controller's socket, is served", async () => {
    await using world = await startWorld(can("MODIFY_VOLUME"), noNodeService);
    const { kubeconfig } = await world.account(publishedResizerRoles);
    const resizer = world.start("pod", [`--kubeconfig=${kubeconfig}`, "--http-endpoint=127.0.0.1:0", "--v=2"], individual);
    await resizer.logged("Starting controllers");
    expect(resizer.output).toContain('expansion="none"');
    expect(await resizer.end()).toBe(0);
  });
});

describe("the resizer in csi-sidecars", () => {
  test("is disabled beside others where the driver supports neither, with an error in the log and in a metric", async () => {
    await using world = await startWorld(presets.attachable);
    const kubeconfig = await world.kubeconfig("attacher,provisioner,resizer");
    const sidecar = world.start("pod", [
      "--controllers=attacher,provisioner,resizer",
      `--kubeconfig=${kubeconfig}`,
      "--http-endpoint=127.0.0.1:0",
    ]);
    await sidecar.logged("controller disabled: CSI driver does not support resize nor modify");
    const [, metrics] = await sidecar.get("/metrics");
    expect(metrics).toContain('csi_sidecars_controller_enabled{controller="resizer"} 0');
    expect(metrics).toContain('csi_sidecars_controller_enabled{controller="attacher"} 1');
    await until("the others", async () => {
      const [, page] = await sidecar.get("/readyz?verbose");
      return ["attacher", "provisioner"].every((name) => page.includes(`[+]${name} ok (running)`));
    });
    expect(sidecar.running).toBe(true);
    expect(await sidecar.end()).toBe(0);
  });

  test("ends the process where it is the only one", async () => {
    await using world = await startWorld(presets.attachable);
    const sidecar = world.start("pod", ["--controllers=resizer", `--kubeconfig=${await world.kubeconfig("resizer")}`]);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain("CSI driver does not support resize nor modify");
  });

  test("does not act while upstream's resizer holds its lease", async () => {
    await using world = await startWorld(can("EXPAND_VOLUME"));
    using _legacy = await legacySidecar(world.cluster, lease);
    const { kubeconfig } = await world.account(rolesFor("resizer"));
    await addGrowingClaim(world);
    const sidecar = world.start("pod", [
      "--controllers=resizer",
      `--kubeconfig=${kubeconfig}`,
      "--leader-election-migration=exit",
      ...quickElection,
    ]);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain("scale down the deployment running the legacy csi-resizer");
    expect(world.driver.calls("ControllerExpandVolume")).toEqual([]);
  });
});
