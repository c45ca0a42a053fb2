import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { Channel, driverClient } from "@csi-sidecars/csi";
import { startCluster, startScriptedDriver } from "@csi-sidecars/testcluster";
import { testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { images } from "../../tools/images/images.ts";
import { until } from "../e2e/testing/until.ts";
import { buildTestImages, missingPackages, unpack } from "./testing/build-test-images.ts";
import { arbitraryUser, type ContainerSettings } from "./testing/container-spec.ts";
import { type Container, Containerd } from "./testing/containerd.ts";
import { missingForContainers } from "./testing/find-container-runtime.ts";

/** One of each program, and one that is started under another name. */
const tested = images.filter(({ name }) =>
  ["csi-sidecars", "csi-attacher", "snapshot-controller", "snapshot-webhook", "hostpath"].includes(name),
);
const missing =
  process.env.TESTCLUSTER === "real"
    ? "the embedded API server is enough"
    : (missingForContainers() ?? (await missingPackages(tested, "amd64")));
const emulator = Bun.which("qemu-aarch64-static");
const notEmulated = missing ?? (emulator ? await missingPackages(tested.slice(0, 1), "arm64") : "qemu-aarch64-static is not installed");

describe.skipIf(missing !== undefined)(`images in containers${missing ? ` (${missing})` : ""}`, () => {
  let folder: string;
  let containerd: Containerd;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "started-images-"));
    // Another user has to reach what containers get of it.
    chmodSync(folder, 0o755);
    containerd = await Containerd.start();
    await buildTestImages(tested, "linux/amd64", folder);
    for (const { name } of tested) containerd.import(join(folder, `${name}-amd64.tar`));
  }, 120_000);
  afterAll(async () => {
    await containerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 30_000);

  const run = (name: string, settings: ContainerSettings) => containerd.run(`docker.io/library/${name}:test`, settings);
  const ready = (container: Container, url: string) =>
    until(`${url} answers`, async () => {
      if (!container.running) throw new Error(`the container ended:\n${container.output}`);
      return (await fetch(url).catch(() => undefined))?.ok;
    });
  const metrics = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  /** A folder that every user may write to. */
  function shared(name: string): string {
    const path = join(folder, name);
    mkdirSync(path);
    chmodSync(path, 0o777);
    return path;
  }

  test("the sidecars of a node have no rights, serve metrics, register the driver, and end on SIGTERM", async () => {
    const plugin = shared("plugin");
    const registration = shared("registration");
    await using driver = await startScriptedDriver({ socket: join(plugin, "csi.sock") });
    chmodSync(driver.address, 0o777);
    const port = await freePort();
    const controllers = ["--controllers=livenessprobe,node-driver-registrar", "--kubelet-registration-path=/csi/csi.sock"];
    await using container = run("csi-sidecars", {
      args: [...controllers, "--csi-address=/csi/csi.sock", `--http-endpoint=127.0.0.1:${port}`],
      mounts: { "/csi": plugin, "/registration": registration },
    });
    await ready(container, `http://127.0.0.1:${port}/readyz`);

    const status = container.proc("status");
    expect(status).toContain(`Uid:\t${arbitraryUser}\t${arbitraryUser}\t${arbitraryUser}\t${arbitraryUser}\n`);
    for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) expect(status).toContain(`Cap${set}:\t0000000000000000\n`);
    expect(status).toContain("NoNewPrivs:\t1\n");
    expect(status).toContain("Seccomp:\t2\n");
    expect(status).toMatch(/^NSpid:\t.*\t1$/m);
    expect(container.proc("mountinfo")).toMatch(/^\d+ \d+ \S+ \S+ \/ ro,/m);

    expect(await metrics(port)).toContain('csi_sidecars_controller_enabled{controller="livenessprobe"} 1');
    expect(await container.stop()).toBe(0);
  }, 60_000);

  test("a sidecar under its own name works with the API server, and ends on SIGTERM", async () => {
    await using cluster = await startCluster();
    const work = shared("attacher");
    writeFileSync(join(work, "kubeconfig"), cluster.kubeconfig(cluster.adminToken), { mode: 0o644 });
    await using driver = await startScriptedDriver({ socket: join(work, "csi.sock") });
    chmodSync(driver.address, 0o777);
    const port = await freePort();
    await using container = run("csi-attacher", {
      args: ["--kubeconfig=/work/kubeconfig", "--csi-address=/work/csi.sock", `--http-endpoint=127.0.0.1:${port}`],
      mounts: { "/work": work },
    });
    await until("it works", async () => {
      if (!container.running) throw new Error(`the container ended:\n${container.output}`);
      const requests = await cluster.requests();
      return requests.some(({ path }) => path.includes("/volumeattachments"));
    });
    expect(await container.stop()).toBe(0);
  }, 60_000);

  test("snapshot-controller is ready, and ends on SIGTERM", async () => {
    await using cluster = await startCluster({ definitions: snapshotDefinitions as never });
    const work = shared("snapshots");
    writeFileSync(join(work, "kubeconfig"), cluster.kubeconfig(cluster.adminToken), { mode: 0o644 });
    const port = await freePort();
    await using container = run("snapshot-controller", {
      args: ["--kubeconfig=/work/kubeconfig", `--http-endpoint=127.0.0.1:${port}`],
      mounts: { "/work": work },
    });
    await ready(container, `http://127.0.0.1:${port}/metrics`);
    expect(await container.stop()).toBe(0);
  }, 60_000);

  test("snapshot-webhook listens, and ends on SIGTERM", async () => {
    const certs = shared("certs");
    const { cert, key } = await (await testAuthority()).issue("localhost");
    writeFileSync(join(certs, "tls.crt"), cert, { mode: 0o644 });
    writeFileSync(join(certs, "tls.key"), key, { mode: 0o644 });
    await using container = run("snapshot-webhook", {
      args: ["--tls-cert-file=/certs/tls.crt", "--tls-private-key-file=/certs/tls.key", "--port=0", "--bind-address=127.0.0.1"],
      mounts: { "/certs": certs },
    });
    await until("it listens", () => {
      if (!container.running) throw new Error(`the container ended:\n${container.output}`);
      return container.output.includes("HTTPS server is listening");
    });
    expect(await container.stop()).toBe(0);
  }, 60_000);

  test("hostpath makes volumes and, with the tools of its image, snapshots, and ends on SIGTERM", async () => {
    const work = shared("hostpath-work");
    await using container = run("hostpath", {
      args: ["--endpoint=unix:///work/csi.sock", "--statedir=/work/state", "--nodeid=node-1"],
      mounts: { "/work": work },
    });
    const channel = new Channel({ target: { kind: "unix", path: join(work, "csi.sock") } });
    const { controller } = driverClient(channel);
    try {
      const patient = { waitForReady: true, timeoutMs: 20_000 };
      const access = {
        accessType: { $case: "mount" as const, mount: { fsType: "", mountFlags: [], volumeMountGroup: "" } },
        accessMode: { mode: 1 },
      };
      const { volume } = await controller.createVolume({ name: "pvc", volumeCapabilities: [access] } as never, patient);
      const { snapshot } = await controller.createSnapshot({ name: "snap", sourceVolumeId: volume?.volumeId ?? "" } as never, patient);
      expect(snapshot?.readyToUse).toBe(true);
    } finally {
      channel.close();
    }
    expect(await container.stop()).toBe(0);
  }, 60_000);

  test.skipIf(notEmulated !== undefined)(
    `the image for arm64 tells its version in an emulator${notEmulated ? ` (${notEmulated})` : ""}`,
    async () => {
      const [image] = await buildTestImages(tested.slice(0, 1), "linux/arm64", join(folder, "arm64"));
      const rootfs = join(folder, "arm64-root");
      unpack(image!.layout, rootfs);
      await using container = run("csi-sidecars", {
        rootfs,
        interpreter: "/qemu",
        mounts: { "/qemu": emulator! },
        args: ["--version"],
      });
      expect([await container.exit(), container.output]).toEqual([0, expect.stringMatching(/^csi-sidecars v\d+\.\d+/)]);
    },
    120_000,
  );
});
