import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlreadyExists, Lease, Namespace } from "@csi-sidecars/kube";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { manifestsFolder, manifestsIn, sidecarIn } from "../../tools/generate-deploy/manifests.ts";
import { addAndAttach, addNode } from "../e2e/objects.ts";
import { startE2eWorld } from "../e2e/world.ts";

test("the example's arguments and roles attach a volume, with probes and metrics on one port", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  const [namespace] = manifestsIn("namespace.yaml");
  await cluster.admin.create(Namespace, { ...namespace }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await addNode(cluster, "node", driver.settings.name);
  const { kubeconfig } = await world.account(() => readFileSync(join(manifestsFolder, "rbac.yaml"), "utf8"));
  const endpoint = `127.0.0.1:${await freePort()}`;
  const args = sidecarIn("controller.yaml").args.filter((arg) => !/^--(csi-address|http-endpoint)=/.test(arg));
  const sidecar = world.start("pod", [...args, `--http-endpoint=${endpoint}`, `--kubeconfig=${kubeconfig}`], {
    env: { POD_NAMESPACE: "example-csi" },
  });

  await addAndAttach(world, "data", "node");
  const answers = await Promise.all(["/livez", "/readyz", "/healthz", "/metrics"].map((path) => fetch(`http://${endpoint}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const holder = async () => {
    const lease = await cluster.admin.get(Lease, { namespace: "example-csi", name: "csi-sidecars-driver-example-com" });
    return lease.spec?.holderIdentity;
  };
  expect(await holder()).toBe("pod");
  expect(await sidecar.end("SIGTERM")).toBe(0);
  expect(await holder()).toBeFalsy();
  const refused = (await cluster.requests()).filter(({ userAgent, code }) => userAgent.startsWith("csi-sidecars/") && code === 403);
  expect(refused).toEqual([]);
});
