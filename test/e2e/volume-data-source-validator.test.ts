import { describe, expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { Event, Lease, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { claimOf, unknown } from "../../components/volume-data-source-validator/testing/objects.ts";
import { consolidatedLease, createFreeLease, holderOf, namespace, quickElection } from "./testing/election.ts";
import { addAndAttach, addNode } from "./testing/objects.ts";
import { publishedValidatorRoles } from "./testing/published-roles.ts";
import { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const program = "volume-data-source-validator";
const lease = "data-source-validator-leader";

/** Every flag that upstream documents, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-worker-threads", "10", "--leader-election=true", "--leader-election-namespace=default", "-leader-election-lease-duration=15s"],
  ...["-leader-election-renew-deadline=10s", "--leader-election-retry-period=5s", "--http-endpoint=127.0.0.1:0", "-metrics-path=/measured"],
  ...["-v=5", "--vmodule=a=1", "-logtostderr", "-alsologtostderr=false", "--alsologtostderrthreshold=0", "-stderrthreshold=2"],
  ...["-legacy_stderr_threshold_behavior=true", "-log_dir=", "-log_file", "x", "-log_file_max_size=1800", "-log_backtrace_at=:0"],
  ...["-add_dir_header", "-skip_headers", "-skip_log_headers", "-one_output"],
];

async function startWorld(): Promise<World> {
  const world = await startE2eWorld({ driver: { started: false } });
  await installDefinitions(world.cluster.admin, populatorDefinitions);
  return world;
}

/** A process with upstream's role, and without a driver. */
async function startReplica(world: World, name: string, flags: readonly string[], options = { program }): Promise<SidecarProcess> {
  const { kubeconfig } = await world.account(publishedValidatorRoles);
  return new SidecarProcess(name, [...flags, "-kubeconfig", kubeconfig], options);
}

const warningsIn = async ({ cluster }: World) =>
  (await cluster.admin.list(Event)).items.filter(({ reason }) => reason === "UnrecognizedDataSourceKind");
const addClaim = ({ cluster }: World, name: string) => cluster.admin.create(PersistentVolumeClaim, claimOf(name, unknown));
const untilWarned = (world: World, count: number) => until(`${count} warnings`, async () => (await warningsIn(world)).length === count);
const untilLed = (world: World, by: string) => until(`${by} to lead`, async () => (await holderOf(world.cluster, lease)) === by);

describe(program, () => {
  test("with every documented flag and upstream's role: leads with upstream's lease, warns, and needs no driver", async () => {
    await using world = await startWorld();
    await createFreeLease(world.cluster, lease);
    await using replica = await startReplica(world, "pod", documentedFlags);
    await untilLed(world, "pod");
    await addClaim(world, "data");
    await untilWarned(world, 1);
    expect(await replica.get("/healthz/leader-election")).toEqual([200, "ok"]);
    expect((await replica.get("/readyz"))[0]).toBe(200);
    expect((await replica.get("/measured"))[1]).toMatch(/^volume_data_source_validator_operation_count\{result="invalid"\} 1$/m);
    const { items } = await world.cluster.admin.list(Lease, { namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([lease]);
    expect(world.driver.calls()).toEqual([]);
    expect(await replica.end()).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBeFalsy();
  });

  test("of two replicas one warns; the other takes over at once, and repeats nothing", async () => {
    await using world = await startWorld();
    await createFreeLease(world.cluster, lease);
    await using first = await startReplica(world, "first", [...quickElection, "--http-endpoint=127.0.0.1:0"]);
    await untilLed(world, "first");
    await using second = await startReplica(world, "second", [...quickElection, "--http-endpoint=127.0.0.1:0"]);
    expect((await second.get("/readyz"))[0]).toBe(200);
    await addClaim(world, "data");
    await untilWarned(world, 1);
    expect((await second.get("/metrics"))[1]).not.toContain("volume_data_source_validator_operation_count{");
    expect(await first.end("SIGINT")).toBe(0);
    await untilLed(world, "second");
    await addClaim(world, "later");
    await untilWarned(world, 2);
    expect((await warningsIn(world)).map(({ involvedObject, count }) => [involvedObject.name, count]).toSorted()).toEqual([
      ["data", 1],
      ["later", 1],
    ]);
    expect((await second.get("/metrics"))[1]).toMatch(/^volume_data_source_validator_operation_count\{result="invalid"\} 2$/m);
    expect(await second.end("SIGTERM")).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBeFalsy();
  });

  test.each(["SIGINT", "SIGTERM"] as const)("without leader election, %s ends it with 0, and no lease is touched", async (signal) => {
    await using world = await startWorld();
    await using replica = await startReplica(world, "pod", ["--http-endpoint=127.0.0.1:0"]);
    await addClaim(world, "data");
    await untilWarned(world, 1);
    expect(await replica.get("/healthz/leader-election")).toEqual([404, "404 page not found\n"]);
    expect(await replica.end(signal)).toBe(0);
    expect((await world.cluster.admin.list(Lease, { namespace })).items).toEqual([]);
  });

  test("as the only controller of csi-sidecars it waits for no driver, and shares the election of the program of its own", async () => {
    await using world = await startWorld();
    await createFreeLease(world.cluster, lease);
    await using alone = await startReplica(world, "alone", quickElection);
    await untilLed(world, "alone");
    const flags = [`--controllers=${program}`, ...quickElection, "--http-endpoint=127.0.0.1:0"];
    await using allInOne = await startReplica(world, "all-in-one", flags, { program: "csi-sidecars" });
    expect((await allInOne.get("/readyz"))[0]).toBe(200);
    await addClaim(world, "data");
    await untilWarned(world, 1);
    expect(await alone.end()).toBe(0);
    await untilLed(world, "all-in-one");
    await addClaim(world, "later");
    await untilWarned(world, 2);
    const { items } = await world.cluster.admin.list(Lease, { namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([lease]);
    expect(await allInOne.end()).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBeFalsy();
  });

  test("beside the controllers of a driver: two leases, and a kind that is missing keeps nobody else waiting", async () => {
    await using world = await startE2eWorld();
    const { cluster, driver } = world;
    await addNode(cluster, "node", driver.settings.name);
    for (const name of [lease, consolidatedLease]) await createFreeLease(cluster, name);
    const kubeconfig = await world.kubeconfig(`attacher,${program}`);
    const flags = [`--controllers=attacher,${program}`, ...quickElection, "--http-endpoint=127.0.0.1:0", `--kubeconfig=${kubeconfig}`];
    const both = world.start("pod", flags);
    await both.logged("Waiting for CustomResourceDefinitions to be installed");
    await addAndAttach(world, "data", "node");
    await addClaim(world, "unknown");
    expect(await warningsIn(world)).toEqual([]);
    await installDefinitions(cluster.admin, populatorDefinitions);
    await untilWarned(world, 1);
    expect([await holderOf(cluster, lease), await holderOf(cluster, consolidatedLease)]).toEqual(["pod", "pod"]);
    expect(await both.end()).toBe(0);
    expect([await holderOf(cluster, lease), await holderOf(cluster, consolidatedLease)].filter(Boolean)).toEqual([]);
  });

  test("a leader that loses its lease ends with 1", async () => {
    await using world = await startWorld();
    await createFreeLease(world.cluster, lease);
    await using replica = await startReplica(world, "pod", quickElection);
    await untilLed(world, "pod");
    await addClaim(world, "data");
    await untilWarned(world, 1);
    const spec = { holderIdentity: "thief", leaseDurationSeconds: 60, renewTime: new Date().toISOString().replace("Z", "000Z") };
    await world.cluster.admin.patch(Lease, { namespace, name: lease }, { type: "merge", body: { spec } });
    expect(await replica.exit()).toBe(1);
    expect(replica.output).toContain("leader election lost");
  });

  test("check says that the kind is missing", async () => {
    await using world = await startE2eWorld({ driver: { started: false } });
    const { kubeconfig } = await world.account(publishedValidatorRoles);
    await using check = new SidecarProcess("check", ["check", "--leader-election", `--kubeconfig=${kubeconfig}`], { program });
    expect(await check.exit()).toBe(1);
    expect(check.output).toContain(
      "volumepopulators.populator.storage.k8s.io is not served: no claims are validated until it is installed",
    );
    expect(check.output).not.toContain("CSI driver");
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["the address of a driver", 2, ["--csi-address=/csi.sock"], "csi-address"],
    ["a rate limit, which upstream's has not", 2, ["--kube-api-qps=5"], "kube-api-qps"],
    ["no workers", 1, ["--worker-threads=0"], "for flag --worker-threads: must be greater than zero"],
    ["fewer workers than none", 1, ["--worker-threads=-1"], "for flag --worker-threads: must be greater than zero"],
    ["nowhere to find the API server", 1, [], "unable to load in-cluster configuration"],
    ["--version", 0, ["--version"], "volume-data-source-validator v"],
    ["--help", 0, ["--help"], "Usage: volume-data-source-validator [flags]"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using validator = new SidecarProcess("pod", args, { program });
    expect(await validator.exit()).toBe(code);
    expect(validator.output).toContain(says);
  });

  test("an address that is in use: exit code 1", async () => {
    await using world = await startWorld();
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    await using validator = await startReplica(world, "pod", [`--http-endpoint=127.0.0.1:${taken.port}`]);
    expect(await validator.exit()).toBe(1);
    expect(validator.output).toContain("http-endpoint");
  });
});
