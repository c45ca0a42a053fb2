import { expect, test } from "bun:test";
import { join } from "node:path";
import { PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { freePort, step } from "@csi-sidecars/testcluster";
import { until } from "./testing/until.ts";
import { startE2eWorld } from "./testing/world.ts";

const driverName = "shown.example.com";
const chromium = Bun.which("chromium");
const sizes = { desktop: "1280,900", phone: "400,800" };

const name = chromium ? "in a browser" : "in a browser (skipped: Debian's package chromium is not installed)";

test.skipIf(!chromium)(
  `the page shows the life of a volume ${name}, on wide and narrow screens`,
  async () => {
    await using world = await startE2eWorld({
      cluster: { storageControllers: true, nodes: false },
      driver: { name: driverName, capabilities: "attachable" },
    });
    const { cluster, driver } = world;
    const port = await freePort();
    const args = [
      "--controllers=provisioner",
      `--kubeconfig=${await world.kubeconfig("provisioner")}`,
      `--http-endpoint=127.0.0.1:${port}`,
      "--enable-ui",
    ];
    driver.script("CreateVolume", step.fail("Unavailable", "<b>not now</b>"), step.act);
    const program = world.start("shown", [...args, "--retry-interval-start=50ms"]);
    await program.logged("Starting controllers");
    await cluster.admin.create(StorageClass, { metadata: { name: "shown" }, provisioner: driverName });
    const claim = (name: string) =>
      cluster.admin.create(PersistentVolumeClaim, {
        metadata: { namespace: "default", name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "shown" },
      });
    await claim("data");
    await until("the volume", () => driver.volumes.size === 1);
    for (const size of Object.values(sizes)) {
      let text = "";
      await until("the volume is shown as saved", async () => {
        text = await render(`http://127.0.0.1:${port}/ui`, size, join(world.folder, "browser"));
        return text.includes("PersistentVolume saved");
      });
      expect(text).toContain("default/data");
      expect(text).toContain("CreateVolume");
      expect(text).toMatch(/, 2 calls/);
      expect(text).toContain(driverName);
      expect(text).not.toContain("<b>not now</b>");
    }
    driver.always("CreateVolume", step.fail("ResourceExhausted", "the pool is full"));
    await claim("refused");
    await until("the claim of a volume that cannot be created is named", async () => {
      const text = await render(`http://127.0.0.1:${port}/ui`, sizes.phone, join(world.folder, "browser"));
      return text.includes("default/refused") && text.includes("the pool is full");
    });
    expect(await program.end()).toBe(0);
  },
  120_000,
);

/** What the page consists of once its script has run. */
async function render(url: string, size: string, profile: string): Promise<string> {
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const more = ["--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`, `--window-size=${size}`];
  const browser = Bun.spawn([chromium ?? "", ...flags, ...more, "--virtual-time-budget=3000", "--dump-dom", url], { stderr: "ignore" });
  return new Response(browser.stdout).text();
}
