import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Event, isAlreadyExists, Lease, Namespace, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { manifestsFolder, manifestsIn, sidecarIn } from "../../tools/generate-deploy/manifests.ts";
import { addAndAttach, addNode } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { startE2eWorld } from "../e2e/testing/world.ts";

test("the example's arguments and roles are enough to create and attach volumes and write events, with probes and metrics on one port", async () => {
  await using world = await startE2eWorld({ cluster: { storageControllers: true, nodes: false } });
  const { cluster, driver } = world;
  const [namespace] = manifestsIn("namespace.yaml");
  await cluster.admin.create(Namespace, { ...namespace }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await addNode(cluster, "node", driver.settings.name);
  const { name: user, kubeconfig } = await world.account(() => readFileSync(join(manifestsFolder, "rbac.yaml"), "utf8"));
  const endpoint = `127.0.0.1:${await freePort()}`;
  const args = sidecarIn("controller.yaml").args.filter((arg) => !/^--(csi-address|http-endpoint)=/.test(arg));
  const sidecar = world.start("pod", [...args, `--http-endpoint=${endpoint}`, `--kubeconfig=${kubeconfig}`], {
    env: { POD_NAMESPACE: "example-csi" },
  });

  await addAndAttach(world, "data", "node");
  await cluster.admin.create(StorageClass, { metadata: { name: "example" }, provisioner: driver.settings.name });
  await cluster.admin.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "claim" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "example" },
  });
  await until("the claim's events", async () => {
    const { items } = await cluster.admin.list(Event, { namespace: "default" });
    return items.some(({ reason, involvedObject }) => reason === "ProvisioningSucceeded" && involvedObject.name === "claim");
  });
  const answers = await Promise.all(["/livez", "/readyz", "/healthz", "/metrics"].map((path) => fetch(`http://${endpoint}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const holder = async () => {
    const lease = await cluster.admin.get(Lease, { namespace: "example-csi", name: "csi-sidecars-driver-example-com" });
    return lease.spec?.holderIdentity;
  };
  expect(await holder()).toBe("pod");
  expect(await sidecar.end("SIGTERM")).toBe(0);
  expect(await holder()).toBeFalsy();
  const requests = await cluster.requests({ user });
  expect(requests.map(({ verb, resource }) => `${verb} ${resource}`)).toContain("create persistentvolumes");
  expect(requests.filter(({ code }) => code === 403)).toEqual([]);
});
