import { describe, expect, test } from "bun:test";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { Lease } from "@csi-sidecars/kube";
import { startHungDriver, startPluginWatcher } from "@csi-sidecars/testcluster";
import { attacherLease, createFreeLease, holderOf, namespace } from "./testing/election.ts";
import { addAndAttach, addNode } from "./testing/objects.ts";
import { publishedAttacherRoles } from "./testing/published-roles.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

/** As the EBS driver's chart runs it. */
const ebsFlags = [
  ...["--timeout=6m", "--v=2", "--leader-election=true", "--kube-api-qps=20", "--kube-api-burst=100", "--worker-threads=100"],
  ...["--retry-interval-max=5m", "--feature-gates=MutableCSINodeAllocatableCount=true", "--metrics-address=127.0.0.1:0"],
];
/** Every flag that upstream documents, with one dash or two, and the value after an equals sign or a space. */
const documentedFlags = [
  ...["-timeout", "15s", "-worker-threads", "10", "--retry-interval-start=1s", "-retry-interval-max=5m", "-resync=10m"],
  ...["--reconcile-sync=1m", "--max-entries=0", "-default-fstype=ext4", "--max-grpc-log-length", "100", "-leader-election"],
  ...["--leader-election-namespace=default", "-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s"],
  ...["-leader-election-retry-period=5s", "--leader-election-labels=team:storage", "-kube-api-qps=5", "-kube-api-burst=10"],
  ...[
    "--http-endpoint=127.0.0.1:0",
    "--metrics-path=/metrics",
    "--automaxprocs",
    "-v=5",
    "--logging-format=text",
    "-log-flush-frequency=5s",
  ],
];

const runs = (world: World, program: string, args: readonly string[]) => world.start("pod", args, { program });

describe("csi-attacher", () => {
  test.each([
    ["the flags of the EBS driver", ebsFlags, "metrics-address"],
    ["every documented flag", documentedFlags, "http-endpoint"],
  ])("with %s and upstream's published role: leads with upstream's lease, and attaches", async (_what, flags, endpoint) => {
    await using world = await startE2eWorld();
    const { cluster, driver } = world;
    await addNode(cluster, "node", driver.settings.name);
    await createFreeLease(cluster, attacherLease);
    const { kubeconfig } = await world.account(publishedAttacherRoles);
    const attacher = runs(world, "csi-attacher", [...flags, "-kubeconfig", kubeconfig]);
    await addAndAttach(world, "data", "node");
    expect(driver.publishedTo("id-data")).toEqual(["id-node"]);
    const { items: leases } = await cluster.admin.list(Lease, { namespace });
    expect(leases.map(({ metadata, spec }) => [metadata?.name, spec?.holderIdentity])).toEqual([[attacherLease, "pod"]]);
    expect((await attacher.get("/metrics", endpoint))[1]).toContain(
      'csi_sidecar_operations_seconds_count{driver_name="driver.example.com"',
    );
    expect((await attacher.get("/healthz/leader-election", endpoint))[0]).toBe(endpoint === "http-endpoint" ? 200 : 404);
    await attacher.end();
    expect(await holderOf(cluster, attacherLease)).toBe("pod");
  });

  test("without leader election has no page about it, as upstream's", async () => {
    await using world = await startE2eWorld();
    const { kubeconfig } = await world.account(publishedAttacherRoles);
    const attacher = runs(world, "csi-attacher", ["--http-endpoint=127.0.0.1:0", `--kubeconfig=${kubeconfig}`]);
    expect(await attacher.get("/healthz/leader-election")).toEqual([404, "404 page not found\n"]);
    expect((await attacher.get("/metrics"))[0]).toBe(200);
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["a value that is no duration", 2, ["--timeout=soon"], "timeout"],
    ["a flag of the all-in-one", 2, ["--attacher-timeout=1s"], "attacher-timeout"],
    ["no workers", 1, ["--worker-threads=0"], "for flag --worker-threads: must be greater than zero"],
    ["two places for metrics", 1, ["--http-endpoint=:1", "--metrics-address=:2"], "Only one of `--metrics-address` and `--http-endpoint`"],
    ["an unknown gate", 1, ["--feature-gates=Nonsense=true"], "unrecognized feature gate: Nonsense"],
    ["--version", 0, ["-version"], "csi-attacher v"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using world = await startE2eWorld();
    const attacher = runs(world, "csi-attacher", args);
    expect(await attacher.exit()).toBe(code);
    expect(attacher.output).toContain(says);
  });
});

// These two have nothing to do with an API server, whichever it is.
const describeOnce = describe.skipIf(process.env.TESTCLUSTER === "real");

describeOnce("livenessprobe", () => {
  test("answers for the driver while it is there, while it is not, and when it is back", async () => {
    await using world = await startE2eWorld({ driver: { started: false } });
    const { driver } = world;
    const probe = runs(world, "livenessprobe", ["-probe-timeout=1s", "--http-endpoint=127.0.0.1:0", "-v=2"]);
    expect((await probe.get("/healthz"))[0]).toBe(500);
    await driver.start();
    expect(await probe.get("/healthz")).toEqual([200, "ok"]);
    await driver.kill();
    expect((await probe.get("/healthz"))[0]).toBe(500);
    driver.settings.ready = false;
    await driver.start();
    expect((await probe.get("/healthz"))[0]).toBe(500);
    driver.settings.ready = true;
    expect(await probe.get("/healthz")).toEqual([200, "ok"]);
    expect((await probe.get("/metrics"))[1]).toContain('method_name="/csi.v1.Identity/Probe"');
    expect(probe.running).toBe(true);
    expect(await probe.end()).toBe(0);
  });

  test("stays when the driver comes back and hangs, and finds it healthy when it answers again", async () => {
    await using world = await startE2eWorld();
    const { driver } = world;
    const probe = runs(world, "livenessprobe", ["-probe-timeout=300ms", "--http-endpoint=127.0.0.1:0"]);
    await until("the driver is healthy", async () => (await probe.get("/healthz"))[0] === 200);
    await driver.kill();
    for (const [how, problem] of [
      ["silent", "context deadline exceeded"],
      ["greets", "rpc error: code = DeadlineExceeded desc = context deadline exceeded"],
    ] as const) {
      await using _hung = await startHungDriver(driver.address, how);
      await until(`a check of the driver that ${how}`, async () => (await probe.get("/healthz"))[1].startsWith(problem));
      if (how === "greets") await probe.logged("Failed to identify the CSI driver, will be retried");
    }
    await driver.start();
    await until("the driver is healthy again", async () => (await probe.get("/healthz"))[0] === 200);
    expect([probe.running, await probe.end()]).toEqual([true, 0]);
  }, 60_000);

  test("waits for a driver that hangs from the start", async () => {
    await using world = await startE2eWorld({ driver: { started: false } });
    const probe = runs(world, "livenessprobe", ["-probe-timeout=300ms", "--http-endpoint=127.0.0.1:0"]);
    {
      await using _hung = await startHungDriver(world.driver.address, "greets");
      await until("a check", async () => (await probe.get("/healthz"))[1].includes("context deadline exceeded"));
      await probe.logged("Failed to identify the CSI driver, will be retried");
    }
    await world.driver.start();
    await until("the driver is healthy", async () => (await probe.get("/healthz"))[0] === 200);
    expect([probe.running, await probe.end()]).toEqual([true, 0]);
  }, 60_000);

  test("flags that contradict each other, and flags that do not exist", async () => {
    await using world = await startE2eWorld();
    const both = runs(world, "livenessprobe", ["--health-port=9810", "--http-endpoint=127.0.0.1:0"]);
    expect(await both.exit()).toBe(1);
    expect(both.output).toContain("Only one of `--health-port` and `--http-endpoint` can be explicitly set");
    const unknown = runs(world, "livenessprobe", ["--leader-election"]);
    expect(await unknown.exit()).toBe(2);
    expect(unknown.output).toContain("leader-election");
  });
});

describeOnce("csi-node-driver-registrar", () => {
  const hostPath = "/var/lib/kubelet/plugins/driver.example.com/csi.sock";
  const path = `--kubelet-registration-path=${hostPath}`;
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );

  test("registers the driver with kubelet, reports it on /healthz, and removes the socket at the end", async () => {
    await using world = await startE2eWorld();
    await using kubelet = await startPluginWatcher({ directory: world.folder });
    const args = [
      "-kubelet-registration-path",
      hostPath,
      `--plugin-registration-path=${world.folder}`,
      "--http-endpoint=127.0.0.1:0",
      "-v=2",
    ];
    const registrar = runs(world, "csi-node-driver-registrar", args);
    await kubelet.until("the registration", () => kubelet.drivers.has("driver.example.com"));
    expect(kubelet.drivers.get("driver.example.com")).toMatchObject({ type: "CSIPlugin", endpoint: hostPath });
    await until("the health check", async () => (await registrar.get("/healthz"))[0] === 200);
    await kubelet.restart();
    await kubelet.until("the second registration", () => kubelet.drivers.has("driver.example.com"));
    await world.driver.kill();
    await world.driver.start();
    expect(await registrar.end()).toBe(0);
    await kubelet.until("the end of the registration", () => kubelet.drivers.size === 0);
    expect(await isThere(join(world.folder, "driver.example.com-reg.sock"))).toBe(false);
  });

  test("stays registered when the driver comes back and hangs", async () => {
    await using world = await startE2eWorld();
    await using kubelet = await startPluginWatcher({ directory: world.folder });
    const args = [path, `--plugin-registration-path=${world.folder}`, "--timeout=300ms", "--http-endpoint=127.0.0.1:0"];
    const registrar = runs(world, "csi-node-driver-registrar", args);
    await kubelet.until("the registration", () => kubelet.drivers.has("driver.example.com"));
    await world.driver.kill();
    {
      await using _hung = await startHungDriver(world.driver.address, "greets");
      await registrar.logged("Failed to identify the CSI driver, will be retried");
      expect(await registrar.get("/healthz")).toEqual([200, "ok"]);
    }
    await world.driver.start();
    await world.driver.called("GetPluginInfo", 2);
    expect([registrar.running, kubelet.drivers.size]).toEqual([true, 1]);
    expect(await registrar.end()).toBe(0);
  });

  test.each([
    ["never answers", "greets", "cannot identify the CSI driver"],
    ["never greets", "silent", "cannot connect to the CSI driver"],
  ] as const)(
    "ends with 1 at a driver that %s from the start, as upstream's",
    async (_what, how, says) => {
      await using world = await startE2eWorld({ driver: { started: false } });
      await using _hung = await startHungDriver(world.driver.address, how);
      const registrar = runs(world, "csi-node-driver-registrar", [path, `--plugin-registration-path=${world.folder}`, "--timeout=300ms"]);
      expect(await registrar.exit()).toBe(1);
      expect(registrar.output).toContain(says);
    },
    60_000,
  );

  test("ends with 1 when kubelet refuses the driver", async () => {
    await using world = await startE2eWorld();
    await using kubelet = await startPluginWatcher({ directory: world.folder, register: () => "no room" });
    const registrar = runs(world, "csi-node-driver-registrar", [path, `--plugin-registration-path=${world.folder}`]);
    expect(await registrar.exit()).toBe(1);
    expect(registrar.output).toContain("no room");
    expect(kubelet.drivers.size).toBe(0);
  });

  test.each([
    ["the mode that old probes run", 0, [path, "--mode=kubelet-registration-probe"], ""],
    ["the same with one dash, and apart", 0, ["-kubelet-registration-path", hostPath, "-mode", "kubelet-registration-probe"], ""],
    ["no path for kubelet", 1, [], "kubelet-registration-path is a required parameter"],
    [
      "two listeners",
      1,
      [path, "--health-port=9809", "--http-endpoint=:9809"],
      "Only one of `--health-port` and `--http-endpoint` can be set",
    ],
    ["an unknown flag", 2, [path, "--leader-election"], "leader-election"],
    ["a port that is no number", 2, [path, "--health-port=http"], "health-port"],
    ["--version", 0, ["--version"], "csi-node-driver-registrar v"],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using world = await startE2eWorld();
    const registrar = runs(world, "csi-node-driver-registrar", args);
    expect(await registrar.exit()).toBe(code);
    expect(registrar.output).toContain(says);
  });
});
