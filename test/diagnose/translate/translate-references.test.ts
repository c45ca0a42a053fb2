import { describe, expect, test } from "bun:test";
import { deployment, sidecar, sidecarIn, translate, yamlOf } from "./testing/translate.ts";

const warnings = (manifests: readonly string[]) =>
  translate(manifests)
    .stderr.split("\n")
    .flatMap((line) => (line.startsWith("  Warning: ") && !line.includes("behaves as v") ? [line.slice("  Warning: ".length)] : []));

describe("annotations of the pods", () => {
  const annotated = (annotations: object) =>
    warnings([
      deployment([{ name: "driver", image: "d:v1" }, sidecar("csi-attacher")]).replace(
        "    metadata:\n",
        `    metadata:\n      annotations: ${JSON.stringify(annotations)}\n`,
      ),
    ]);

  test("that name a container which is gone are told", () => {
    expect(annotated({ "kubectl.kubernetes.io/default-container": "csi-attacher" })).toEqual([
      "annotation kubectl.kubernetes.io/default-container of the pods names csi-attacher, which is csi-sidecars now: change its value",
    ]);
    expect(annotated({ "container.apparmor.security.beta.kubernetes.io/csi-attacher": "runtime/default" })).toEqual([
      expect.stringContaining("replace it with container.apparmor.security.beta.kubernetes.io/csi-sidecars"),
    ]);
    expect(annotated({ "container.seccomp.security.alpha.kubernetes.io/csi-attacher": "runtime/default" })).toHaveLength(1);
  });

  test("that name the driver's container stay", () => {
    expect(
      annotated({
        "kubectl.kubernetes.io/default-container": "driver",
        "container.apparmor.security.beta.kubernetes.io/driver": "unconfined",
        "csi-attacher": "csi-attacher",
      }),
    ).toEqual([]);
  });
});

describe("objects that refer to what is gone", () => {
  const served = (name: string, port: number) => ({
    ...sidecar(name, [`--http-endpoint=:${port}`]),
    ports: [{ name: `${name}-http`.slice(0, 15), containerPort: port }],
  });
  const workload = deployment([served("csi-attacher", 8020), served("csi-resizer", 8040)]);
  const object = (kind: string, spec: object, metadata: object = {}) =>
    yamlOf({ apiVersion: "v1", kind, metadata: { name: "it", namespace: "storage", ...metadata }, spec });
  const service = object(
    "Service",
    {
      selector: { app: "driver" },
      ports: [
        { name: "attacher", port: 80, targetPort: 8020 },
        { name: "resizer", port: 81, targetPort: 8040 },
      ],
    },
    { labels: { scrape: "yes" } },
  );
  const told = (...others: readonly string[]) => warnings([workload, ...others]).filter((line) => !line.startsWith("Service "));

  test("a ServiceMonitor, through the Service", () => {
    const monitor = (labels: object) =>
      object("ServiceMonitor", { selector: { matchLabels: labels }, endpoints: [{ port: "attacher" }, { port: "resizer" }] });
    expect(told(service, monitor({ scrape: "yes" }))).toEqual([
      "ServiceMonitor storage/it: endpoint resizer is gone; metrics are on one port now",
    ]);
    expect(told(service, monitor({ scrape: "no" }))).toEqual([]);
  });

  test("a relabeling that asks for the container", () => {
    const relabelings = [{ sourceLabels: ["__meta_kubernetes_pod_container_name"], regex: "(csi-attacher|csi-provisioner)" }];
    expect(
      told(
        object("PodMonitor", {
          selector: { matchLabels: { app: "driver" } },
          podMetricsEndpoints: [{ port: "csi-attacher-ht", relabelings }],
        }),
      ),
    ).toEqual(["PodMonitor storage/it: a relabeling of endpoint csi-attacher-ht names container csi-attacher, which is csi-sidecars now"]);
  });

  test("a NetworkPolicy that opens a port which is closed", () => {
    const policy = (podSelector: object, namespace = "storage") =>
      object("NetworkPolicy", { podSelector, ingress: [{ ports: [{ port: 8020 }, { port: 8040 }] }] }, { namespace });
    const expected = ["NetworkPolicy storage/it: port 8040 is gone; metrics are on one port now"];
    expect(told(policy({ matchLabels: { app: "driver" } }))).toEqual(expected);
    expect(told(policy({}))).toEqual(expected);
    expect(told(policy({ matchLabels: { app: "other" } }))).toEqual([]);
    expect(told(policy({}, "elsewhere"))).toEqual([]);
  });

  test("a proxy in the same pod, also in front of a port that no container lists", () => {
    const unlisted = (name: string, port: number) => sidecar(name, [`--http-endpoint=localhost:${port}`]);
    const proxy = (to: string) => ({
      name: "proxy",
      image: "proxy:v1",
      args: ["--secure-listen-address=0.0.0.0:9203", `--upstream=${to}`],
    });
    const toldBeside = (to: string) => warnings([deployment([unlisted("csi-attacher", 8202), unlisted("csi-resizer", 8203), proxy(to)])]);
    expect(toldBeside("http://127.0.0.1:8203/")).toEqual([
      "proxy: --upstream=http://127.0.0.1:8203/ leads to a port that is gone; metrics are on one port now",
    ]);
    expect(toldBeside("localhost:8203")).toHaveLength(1);
    expect(toldBeside("http://127.0.0.1:8202/")).toEqual([]);
    expect(toldBeside("http://example.com:8203/")).toEqual([]);
  });

  test("a VerticalPodAutoscaler with a policy for the container", () => {
    const scaler = (name: string) =>
      object("VerticalPodAutoscaler", {
        targetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        resourcePolicy: { containerPolicies: [{ containerName: "csi-resizer" }, { containerName: "driver" }] },
      });
    expect(told(scaler("driver"))).toEqual([
      "VerticalPodAutoscaler storage/it: the policy of container csi-resizer has no effect: it is csi-sidecars now",
    ]);
    expect(told(scaler("other"))).toEqual([]);
  });
});

describe("variables that the manifest does not tell", () => {
  const registrar = (...args: readonly string[]) => ({
    ...sidecar("csi-node-driver-registrar", args),
    env: [{ name: "REG", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }],
  });

  test("give a required flag its value", () => {
    const { stdout, stderr } = translate(deployment([registrar("--kubelet-registration-path=$(REG)")]));
    expect(sidecarIn(stdout).args).toContain("--node-driver-registrar-kubelet-registration-path=$(REG)");
    expect(stderr).not.toContain("will not start");
    expect(translate(deployment([registrar()])).stderr).toContain(
      "will not start with these arguments: --node-driver-registrar-kubelet-registration-path is a required",
    );
  });

  test("do not hide what is wrong elsewhere", () => {
    const { stderr } = translate(deployment([registrar(), sidecar("csi-attacher", ["--worker-threads=$(N)"])]));
    expect(stderr).toContain("will not start with these arguments: --node-driver-registrar-kubelet-registration-path is a required");
    expect(stderr.match(/will not start/g)).toHaveLength(1);
  });
});

test("csi-snapshot-metadata stays beside the driver, snapshot-controller is one for the cluster", () => {
  const other = (name: string) => ({ name, image: `registry.k8s.io/sig-storage/${name}:v1` });
  const told = warnings([deployment([sidecar("csi-attacher"), other("csi-snapshot-metadata"), other("snapshot-controller")])]);
  expect(told).toEqual([
    "csi-snapshot-metadata is left as it is: csi-snapshot-metadata is a program of its own, which stays in the pods of the driver",
    "snapshot-controller is left as it is: snapshot-controller is a program of its own, one for each cluster",
  ]);
});
