import { describe, expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { Event, PersistentVolume, Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { startPluginWatcher, step } from "@csi-sidecars/testcluster";
import { consolidatedLease, holderOf, namespace, quickElection } from "./testing/election.ts";
import { addAndAttach, addNode, addVolume, attach, attached, attachments } from "./testing/objects.ts";
import type { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { type Account, rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const controllers = "attacher,livenessprobe,node-driver-registrar";
const hostPath = "/var/lib/kubelet/plugins/driver.example.com/csi.sock";

/** All components that there are, in one process with one port. */
function startAll(world: World, name: string, { kubeconfig }: Pick<Account, "kubeconfig">, ...more: string[]): SidecarProcess {
  return world.start(name, [
    `--controllers=${controllers}`,
    `--kubeconfig=${kubeconfig}`,
    "--http-endpoint=127.0.0.1:0",
    `--kubelet-registration-path=${hostPath}`,
    `--plugin-registration-path=${world.folder}`,
    ...more,
  ]);
}

/** Asks as kubelet and Prometheus do, for so long; answers every status that was not 200. */
async function askFor(ms: number, sidecars: readonly SidecarProcess[], ...paths: string[]): Promise<readonly string[]> {
  const end = performance.now() + ms;
  const bad: string[] = [];
  while (performance.now() < end) {
    for (const sidecar of sidecars) {
      for (const path of paths) {
        const [status, body] = await sidecar.get(path);
        if (status !== 200) bad.push(`${sidecar.name} ${path} ${status} ${body}`);
      }
    }
    await systemClock.sleep(Math.min(500, Math.max(0, end - performance.now())));
  }
  return bad;
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

test("one port has everything: metrics, health of each component, of the election and of the process, profiles", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await using kubelet = await startPluginWatcher({ directory: world.folder });
  await addNode(cluster, "node", driver.settings.name);
  const sidecar = startAll(world, "pod", await world.account(rolesFor(controllers)), ...quickElection, "--enable-pprof");
  await addAndAttach(world, "data", "node");
  await kubelet.until("the registration", () => kubelet.drivers.has("driver.example.com"));
  await until("the registrar's own check", async () => (await sidecar.get("/healthz/node-driver-registrar"))[0] === 200);

  for (const path of ["/healthz", "/healthz/livenessprobe", "/healthz/attacher", "/healthz/leader-election", "/livez", "/readyz"])
    expect([path, ...(await sidecar.get(path))]).toEqual([path, 200, "ok"]);
  const [, verbose] = await sidecar.get("/readyz?verbose");
  for (const name of ["driver", ...controllers.split(",")]) expect(verbose).toContain(`[+]${name} ok`);
  expect((await sidecar.get("/debug/pprof/"))[0]).toBe(200);
  expect((await sidecar.get("/nothing"))[0]).toBe(404);
  const [, metrics] = await sidecar.get("/metrics");
  for (const name of controllers.split(",")) {
    expect(metrics).toContain(`csi_sidecars_controller_enabled{controller="${name}"} 1`);
    expect(metrics).toContain(`csi_sidecars_controller_running{controller="${name}"} 1`);
  }
  for (const family of [
    "csi_sidecar_operations_seconds_count{",
    "workqueue_depth{",
    "leader_election_master_status{",
    "process_start_time_seconds",
  ])
    expect(metrics).toContain(family);
  expect(sidecar.output.match(/HTTP server is listening/g)).toHaveLength(1);

  await driver.kill();
  await until("the driver's absence to be reported", async () => (await sidecar.get("/healthz"))[0] === 500);
  expect(await sidecar.get("/livez")).toEqual([200, "ok"]);
  await driver.start();
  await until("the driver to be healthy again", async () => (await sidecar.get("/healthz"))[0] === 200);
  await addAndAttach(world, "more", "node");
  expect(await sidecar.end()).toBe(0);
  expect(kubelet.drivers.size).toBe(0);
});

test("two replicas with the default timing: the standby watches nothing, neither logs while idle, and the standby leads within 11 s of the leader's end", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  const accounts = { one: await world.account(rolesFor("attacher")), two: await world.account(rolesFor("attacher")) };
  const replica = (name: keyof typeof accounts) =>
    world.start(name, [
      "--controllers=attacher,livenessprobe",
      `--kubeconfig=${accounts[name].kubeconfig}`,
      "--leader-election",
      "--http-endpoint=127.0.0.1:0",
    ]);
  const leader = replica("one");
  await addAndAttach(world, "first", "node");
  const standby = replica("two");
  await until(
    "the standby to see the leader",
    async () => (await cluster.requests({ user: accounts.two.name, resource: "leases" })).length > 0,
  );
  await until("the standby to be ready", async () => (await standby.get("/readyz"))[0] === 200);

  const before = [leader, standby].map(({ output }) => output);
  expect(await askFor(12_000, [leader, standby], "/healthz", "/livez", "/readyz", "/healthz/leader-election", "/metrics")).toEqual([]);
  const said = [leader, standby].map(({ output }, at) => linesOf(output.slice(before[at]?.length)));
  expect(said.flat().length, said.flat().join("\n")).toBeLessThanOrEqual(1);
  const asked = await cluster.requests({ user: accounts.two.name });
  expect(asked.filter(({ verb }) => verb === "list" || verb === "watch")).toEqual([]);
  expect(await holderOf(cluster, consolidatedLease)).toBe("one");

  expect(await leader.end()).toBe(0);
  expect(["", "two"]).toContain((await holderOf(cluster, consolidatedLease)) ?? "nobody");
  await until("the standby to lead", async () => (await holderOf(cluster, consolidatedLease)) === "two", 11_000);
  await addAndAttach(world, "second", "node");
  expect(await standby.end()).toBe(0);
  expect(await holderOf(cluster, consolidatedLease)).toBe("");
  expect(driver.overlaps()).toEqual([]);
}, 90_000);

describe("SIGTERM", () => {
  /** A process in the middle of a call that the driver does not answer. */
  async function inTheMiddle(world: World): Promise<SidecarProcess> {
    const { cluster, driver } = world;
    await addNode(cluster, "node", driver.settings.name);
    await addVolume(world, "data");
    driver.script("ControllerPublishVolume", step.waitFor("go"));
    const sidecar = startAll(world, "pod", await world.account(rolesFor(controllers)), ...quickElection);
    await attach(cluster, "data", "node", driver.settings.name);
    await driver.called("ControllerPublishVolume");
    sidecar.signal("SIGTERM");
    await sidecar.logged("Received a signal, shutting down");
    return sidecar;
  }

  test("once: the call in progress ends and its result is saved, then the lease is released", async () => {
    await using world = await startE2eWorld();
    const sidecar = await inTheMiddle(world);
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("pod");
    world.driver.release("go");
    expect(await sidecar.exit()).toBe(0);
    await attached(world.cluster, "data", 0);
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("");
  });

  test("twice: exit code 1 at once, and the lease is not released", async () => {
    await using world = await startE2eWorld();
    const sidecar = await inTheMiddle(world);
    sidecar.signal("SIGTERM");
    await until("the end", () => !sidecar.running, 5_000);
    expect(await sidecar.exit()).toBe(1);
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("pod");
  });
});

test("the API server is away for 6 s: health checks are answered, the process keeps running, and nothing is lost", async () => {
  await using world = await startE2eWorld({ cluster: { own: true } });
  const { cluster, driver } = world;
  const { name } = driver.settings;
  await addNode(cluster, "node", name);
  const sidecar = startAll(world, "pod", await world.account(rolesFor(controllers)), ...quickElection, "--kube-api-qps=-1");
  for (const volume of ["leaves", "stays"]) await addAndAttach(world, volume, "node");

  // What the driver does meanwhile cannot be written down until the server is back.
  driver.script("ControllerPublishVolume", step.waitFor("away"));
  driver.script("ControllerUnpublishVolume", step.waitFor("away"));
  await addVolume(world, "comes");
  await attach(cluster, "comes", "node", name);
  await cluster.admin.delete(VolumeAttachment, { name: "va-leaves" });
  await driver.called("ControllerPublishVolume", 3);
  await driver.called("ControllerUnpublishVolume", 1);
  await cluster.stop("abrupt");
  driver.release("away");
  expect(await askFor(6_000, [sidecar], "/healthz", "/livez", "/readyz")).toEqual([]);
  await cluster.start();

  await addAndAttach(world, "later", "node");
  await until("what was under way", async () => {
    const found = await attachments(cluster);
    return found.length === 3 && found.every((va) => va.status?.attached);
  });
  expect(["leaves", "stays", "comes", "later"].map((volume) => driver.publishedTo(`id-${volume}`))).toEqual([
    [],
    ["id-node"],
    ["id-node"],
    ["id-node"],
  ]);
  expect(driver.overlaps()).toEqual([]);
  expect(sidecar.running).toBe(true);
  expect(await sidecar.end()).toBe(0);
}, 90_000);

test("a secret is never exposed: not in the most verbose log, in events, metrics, profiles or statuses, even if the driver repeats it", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  const value = "correct-horse-battery-staple";
  const encoded = Buffer.from(value).toString("base64");
  const hex = Buffer.from(value).toString("hex");
  await addNode(cluster, "node", driver.settings.name);
  await cluster.admin.create(Secret, { metadata: { namespace, name: "login" }, stringData: { password: value } });
  const { kubeconfig } = await world.account(rolesFor(controllers));
  const sidecar = startAll(
    world,
    "pod",
    { kubeconfig },
    ...quickElection,
    "--v=10",
    "--enable-pprof",
    "--retry-interval-start=10ms",
    "--attacher-kube-api-qps=-1",
  );
  driver.script(
    "ControllerPublishVolume",
    step.fail("Internal", `cannot log in with password ${value}`),
    step.fail("Unavailable", `${value}? ${encoded.replaceAll("=", "")} ${hex}`),
  );
  driver.script("ControllerUnpublishVolume", step.fail("Internal", `password=${value} refused`));
  await addVolume(world, "data", { controllerPublishSecretRef: { namespace, name: "login" } });
  const statuses: string[] = [];
  const over = new AbortController();
  const changes = await cluster.admin.watch(VolumeAttachment, { timeoutSeconds: 60, signal: over.signal });
  const noting = (async () => {
    for await (const { object } of changes) statuses.push(JSON.stringify(object));
  })().catch(() => {});
  await attach(cluster, "data", "node", driver.settings.name);
  await until("the attach", async () => (await attachments(cluster))[0]?.status?.attached);
  const [, metrics] = await sidecar.get("/metrics");
  const profiles = await Promise.all(["", "heap", "profile?seconds=0.1", "cmdline"].map((page) => sidecar.get(`/debug/pprof/${page}`)));
  await cluster.admin.delete(VolumeAttachment, { name: "va-data" });
  await until("the detach", async () => (await attachments(cluster)).length === 0);
  await until("the deletion to be noted", () => statuses.some((status) => status.includes("detachError")));
  over.abort();
  await noting;
  expect(driver.calls("ControllerPublishVolume").map(({ request }) => request.secrets)).toEqual(Array(3).fill({ password: value }));
  expect(driver.calls("ControllerUnpublishVolume").map(({ request }) => request.secrets)).toEqual(Array(2).fill({ password: value }));
  expect(await sidecar.end()).toBe(0);

  const token = /token: "?([^"\n]+)/.exec(await Bun.file(kubeconfig).text())?.[1] ?? "";
  expect(token).not.toBe("");
  const volume = JSON.stringify(await cluster.admin.get(PersistentVolume, { name: "data" }));
  const events = JSON.stringify((await cluster.admin.list(Event)).items);
  const written = { output: sidecar.output, metrics, profiles: profiles.join("\n"), statuses: statuses.join("\n"), volume, events };
  for (const [where, text] of Object.entries(written))
    for (const secret of [value, encoded.replaceAll("=", ""), hex, token]) expect([where, text.includes(secret)]).toEqual([where, false]);
  expect(written.output).toContain("/csi.v1.Controller/ControllerPublishVolume");
  expect(written.statuses).toContain("attachError");
  expect(profiles.map(([status]) => status)).toEqual([200, 200, 200, 404]);
  expect(linesOf(written.output).length).toBeGreaterThan(50);
}, 60_000);
