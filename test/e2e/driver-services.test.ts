import { expect, test } from "bun:test";
import { until } from "./testing/until.ts";
import { startE2eWorld } from "./testing/world.ts";

const identity = ["GetPluginCapabilities", "GetPluginInfo", "Probe"];

test("a driver without a controller service gets no call of that service: by no controller, no report and no command", async () => {
  await using world = await startE2eWorld({ driver: { capabilities: "nodeOnly" } });
  const { driver } = world;
  const kubeconfig = `--kubeconfig=${await world.kubeconfig("attacher,provisioner")}`;
  const sidecar = world.start("pod", [
    "--controllers=attacher,provisioner,livenessprobe,node-driver-registrar",
    kubeconfig,
    "--kubelet-registration-path=/host/csi.sock",
    `--plugin-registration-path=${world.folder}`,
    "--http-endpoint=127.0.0.1:0",
    "--v=2",
  ]);
  await until("all controllers", async () => {
    const [, page] = await sidecar.get("/readyz?verbose");
    return ["attacher", "provisioner"].every((name) => page.includes(`[+]${name} ok (running)`));
  });
  expect(await sidecar.get("/healthz")).toEqual([200, "ok"]);
  await sidecar.logged("Compatibility: no capabilities");
  for (const individual of ["csi-attacher", "csi-provisioner"]) {
    const one = world.start("other", [kubeconfig], { program: individual });
    await one.logged("Starting controllers");
    expect(await one.end()).toBe(0);
  }
  for (const command of [["check", "--controllers=attacher,provisioner"], ["audit"], ["why", "pvc", "default/none"]]) {
    await world.start(command[0] ?? "", [...command, kubeconfig]).exit();
  }
  const methods = [...new Set(driver.calls().map(({ method }) => method))].filter((method) => method !== "NodeGetCapabilities");
  expect(methods.sort()).toEqual(identity as typeof methods);
}, 60_000);
