import { describe, expect, test } from "bun:test";
import { Lease } from "@csi-sidecars/kube";
import { binary } from "./testing/binary.ts";
import { createFreeLease, holderOf, namespace, quickElection } from "./testing/election.ts";
import { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const program = "snapshot-controller";
const lease = "snapshot-controller-leader";

/** Every flag that upstream documents, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-resync-period", "15m", "--worker-threads=10", "--leader-election=true", "--leader-election-namespace=default"],
  ...["-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s", "-leader-election-retry-period=5s"],
  ...["--kube-api-qps=5", "-kube-api-burst=10", "--http-endpoint=127.0.0.1:0", "-metrics-path=/measured", "--retry-interval-start=1s"],
  ...["-retry-interval-max=5m", "--enable-distributed-snapshotting", "--prevent-volume-mode-conversion=false"],
  ...["-retry-crd-interval-max=30s", "--feature-gates=CSIVolumeGroupSnapshot=true", "--automaxprocs", "-v=5", "--vmodule=a=1"],
  ...["--logging-format=text", "-log-flush-frequency=5s"],
];

const roles = (...flags: readonly string[]) => {
  return (user: string) => Bun.spawnSync([binary(program), "rbac", `--name-prefix=${user}`, ...flags]).stdout.toString();
};

interface Replica extends AsyncDisposable {
  readonly process: SidecarProcess;
  readonly user: string;
}

async function startReplica(world: World, name: string, flags: readonly string[]): Promise<Replica> {
  const { name: user, kubeconfig } = await world.account(roles(...flags));
  const process = new SidecarProcess(name, [...flags, "-kubeconfig", kubeconfig], { program });
  return { process, user, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

describe("snapshot-controller", () => {
  test("with every documented flag: leads with upstream's lease, needs no driver, and serves health and metrics", async () => {
    await using world = await startE2eWorld();
    await createFreeLease(world.cluster, lease);
    await using replica = await startReplica(world, "pod", documentedFlags);
    await until("the leader", async () => (await holderOf(world.cluster, lease)) === "pod");
    expect(await replica.process.get("/healthz/leader-election")).toEqual([200, "ok"]);
    expect((await replica.process.get("/readyz"))[0]).toBe(200);
    expect((await replica.process.get("/measured"))[1]).toMatch(/^leader_election_master_status\{name="snapshot-controller-leader"\} 1$/m);
    expect((await replica.process.get("/metrics"))[0]).toBe(404);
    const { items } = await world.cluster.admin.list(Lease, { namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([lease]);
    expect((await world.cluster.requests({ user: replica.user })).filter(({ code }) => code === 403)).toEqual([]);
    expect(world.driver.calls()).toEqual([]);
    expect(await replica.process.end()).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBe("pod");
  });

  test("the second replica takes over from a leader that is killed; one that loses its lease ends with 1", async () => {
    await using world = await startE2eWorld();
    await createFreeLease(world.cluster, lease);
    await using first = await startReplica(world, "first", quickElection);
    await until("the first leader", async () => (await holderOf(world.cluster, lease)) === "first");
    await using second = await startReplica(world, "second", [...quickElection, "--http-endpoint=127.0.0.1:0"]);
    expect((await second.process.get("/readyz"))[0]).toBe(200);
    await first.process.end("SIGKILL");
    await until("the second leader", async () => (await holderOf(world.cluster, lease)) === "second");
    await until("work to begin", async () => !(await second.process.get("/readyz?verbose"))[1].includes("another replica leads"));
    const spec = { holderIdentity: "thief", leaseDurationSeconds: 60, renewTime: new Date().toISOString().replace("Z", "000Z") };
    await world.cluster.admin.patch(Lease, { namespace, name: lease }, { type: "merge", body: { spec } });
    expect(await second.process.exit()).toBe(1);
    expect(second.process.output).toContain("leader election lost");
  });

  test("with the gate the lease is released when the process ends, without leader election there is none", async () => {
    await using world = await startE2eWorld();
    await createFreeLease(world.cluster, lease);
    await using replica = await startReplica(world, "pod", [...quickElection, "--feature-gates=ReleaseLeaderElectionOnExit=true"]);
    await until("the leader", async () => (await holderOf(world.cluster, lease)) === "pod");
    expect(await replica.process.end()).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBeFalsy();
    await using alone = await startReplica(world, "alone", ["--http-endpoint=127.0.0.1:0"]);
    expect(await alone.process.get("/healthz/leader-election")).toEqual([404, "404 page not found\n"]);
    expect((await alone.process.get("/metrics"))[0]).toBe(200);
    expect(await alone.process.end()).toBe(0);
    expect(await holderOf(world.cluster, lease)).toBeFalsy();
  });

  test("check finds what is there and what is not, without a driver", async () => {
    await using world = await startE2eWorld();
    const { kubeconfig } = await world.account(roles());
    const check = new SidecarProcess("check", ["check", "--leader-election", `--kubeconfig=${kubeconfig}`], { program });
    await check.exit();
    expect(check.output).toContain("Kubernetes");
    expect(check.output).not.toContain("CSI driver");
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["a value that is no duration", 2, ["--resync-period=often"], "resync-period"],
    ["the address of a driver", 2, ["--csi-address=/csi.sock"], "csi-address"],
    ["a flag of the sidecars alone", 2, ["--leader-election-labels=a:b"], "leader-election-labels"],
    ["the selection of controllers", 2, ["--controllers=attacher"], "controllers"],
    ["no workers", 1, ["--worker-threads=0"], "for flag --worker-threads: must be greater than zero"],
    ["an unknown gate", 1, ["--feature-gates=Nonsense=true"], "unrecognized feature gate: Nonsense"],
    ["nowhere to find the API server", 1, [], "unable to load in-cluster configuration"],
    ["--version", 0, ["--version"], "snapshot-controller v"],
    ["--help", 0, ["--help"], "Usage: snapshot-controller [flags]"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using controller = new SidecarProcess("pod", args, { program });
    expect(await controller.exit()).toBe(code);
    expect(controller.output).toContain(says);
  });
});
