import { expect, test } from "bun:test";
import { join } from "node:path";
import { PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { freePort, step } from "@csi-sidecars/testcluster";
import { openPage } from "./testing/browser.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld } from "./testing/world.ts";

const driverName = "shown.example.com";
const chromium = Bun.which("chromium");
const screens = [
  { width: 1280, height: 900, mobile: false },
  { width: 360, height: 740, mobile: true },
];

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
    const program = world.start("shown", [...args, "--retry-interval-start=50ms", "--retry-interval-max=500ms"]);
    await program.logged("Starting controllers");
    await cluster.admin.create(StorageClass, { metadata: { name: "shown" }, provisioner: driverName });
    const claim = (name: string) =>
      cluster.admin.create(PersistentVolumeClaim, {
        metadata: { namespace: "default", name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "shown" },
      });
    await using page = await openPage(chromium ?? "", `http://127.0.0.1:${port}/ui`, join(world.folder, "browser"));
    const shows = (...texts: readonly string[]) =>
      until(texts.join(", "), async () => {
        const text = String(await page.evaluate("document.body?.innerText"));
        return texts.every((each) => text.includes(each));
      });
    driver.always("CreateVolume", step.fail("Unavailable", "<b>not now</b>"));
    await claim("data");
    await shows("default/data", "<b>not now</b>");
    driver.always("CreateVolume", step.act);
    await shows("default/data", "CreateVolume", "PersistentVolume saved", " calls", driverName);
    driver.always("CreateVolume", step.fail("ResourceExhausted", `the pool is full: ${"x".repeat(200)}`));
    const refused = `refused-${"r".repeat(50)}`;
    await claim(refused);
    for (const screen of screens) {
      await page.resize(screen);
      await shows(`default/${refused}`, "the pool is full");
      const [wide, shown] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as number[];
      expect([screen.width, shown, wide]).toEqual([screen.width, screen.width, screen.width]);
    }
    expect(await program.end()).toBe(0);
  },
  120_000,
);
