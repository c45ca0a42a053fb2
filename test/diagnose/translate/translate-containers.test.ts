import { describe, expect, test } from "bun:test";
import { containersIn, deployment, sidecar, sidecarIn, translate, yamlOf } from "./testing/translate.ts";

const names = (yaml: string) => containersIn(yaml).map(({ name }) => name);

describe("which containers are sidecars", () => {
  test.each([
    "registry.k8s.io/sig-storage/csi-attacher:v4.12.0",
    "localhost:5000/csi-attacher",
    "registry.example.com/mirrored-longhornio-csi-attacher:v4",
    "quay.io/openshift/origin-csi-external-attacher:4.20",
    "public.ecr.aws/eks-distro/kubernetes-csi/external-attacher:v4.8.0-eks-1-32-6",
    "registry.example.com/csi-attacher@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  ])("%s is csi-attacher", (image) => {
    expect(sidecarIn(translate(deployment([{ name: "a", image }])).stdout).args).toContain("--controllers=attacher");
  });

  test.each([
    "registry.k8s.io/sig-storage/nfs-subdir-external-provisioner:v4",
    "rancher/local-path-provisioner:v1",
    "example.com/csi-driver:v1",
  ])("%s is none", (image) => {
    const text = deployment([{ name: "a", image }]);
    const { exitCode, stdout } = translate(text);
    expect([exitCode, stdout]).toEqual([3, text]);
  });

  test("a command counts too, with its words; a shell hides them", () => {
    const byCommand = { name: "a", image: "example.com/everything:v1", command: ["/bin/csi-attacher", "--timeout=3s"], args: ["--v=4"] };
    expect(sidecarIn(translate(deployment([byCommand])).stdout).args).toEqual(["--controllers=attacher", "--v=4", "--timeout=3s"]);
    const { exitCode, stderr } = translate(
      deployment([{ name: "a", image: "x/csi-attacher:v1", command: ["/bin/sh", "-c", "exec csi-attacher"] }]),
    );
    expect(exitCode).toBe(3);
    expect(stderr).toContain("a is left as it is: it is started by /bin/sh");
  });

  test("snapshot-controller, init containers and a second sidecar of a kind stay, with a warning", () => {
    const twin = { ...sidecar("csi-attacher"), name: "twin" };
    const { stdout, stderr } = translate(
      deployment(
        [sidecar("csi-attacher"), { name: "snapshot-controller", image: "registry.k8s.io/sig-storage/snapshot-controller:v8" }, twin],
        {
          initContainers: [{ ...sidecar("csi-node-driver-registrar"), restartPolicy: "Always" }],
        },
      ),
    );
    expect(names(stdout)).toEqual(["csi-sidecars", "snapshot-controller", "twin"]);
    expect(stderr).toContain("snapshot-controller is left as it is: snapshot-controller is a program of its own");
    expect(stderr).toContain("twin is left as it is: csi-attacher is a csi-attacher too, and a process runs each controller once");
    expect(stderr).toContain("csi-node-driver-registrar is left as it is: it is an init container");
  });

  test("one whose image is a placeholder is left, and said", () => {
    const placeholder = { ...sidecar("csi-provisioner"), image: "PROVISIONER_IMAGE" };
    const { stdout, stderr } = translate(deployment([sidecar("csi-attacher"), placeholder, { name: "driver", image: "d:v1" }]));
    expect(containersIn(stdout).map(({ name }) => name)).toEqual(["csi-sidecars", "csi-provisioner", "driver"]);
    expect(stderr).toContain("csi-provisioner is left as it is: its image, PROVISIONER_IMAGE, has no name of a sidecar");
    expect(stderr).not.toContain("driver is left");
  });

  test("an operator that makes the containers of sidecars itself: said, and left", () => {
    const operator = {
      name: "deployer",
      image: "example/longhorn-manager:v1",
      command: ["deployer", "--attacher-image=registry.k8s.io/sig-storage/csi-attacher:v4.12.0"],
      env: [
        { name: "RESIZER", value: "example.com/mirror/csi-resizer@sha256:00" },
        { name: "ABOUT", value: "https://example.com/docs of csi-provisioner:v1" },
      ],
    };
    const manifest = deployment([operator]);
    const { exitCode, stdout, stderr } = translate(manifest);
    expect([exitCode, stdout]).toEqual([3, manifest]);
    expect(stderr).toContain(
      "deployer is left as it is: it names images of csi-attacher, csi-resizer, so it makes their containers itself",
    );
  });

  test("beside a csi-sidecars container nothing is done", () => {
    const { exitCode, stderr } = translate(deployment([sidecar("csi-attacher"), { name: "csi-sidecars", image: "x/csi-sidecars:v1" }]));
    expect(exitCode).toBe(3);
    expect(stderr).toContain("there is a container of csi-sidecars already: add what csi-attacher does");
  });

  test("versions older and newer than what is reproduced are reported", () => {
    const { stderr } = translate(
      deployment([
        { ...sidecar("csi-resizer"), image: "x/csi-resizer:v1.9.0" },
        { ...sidecar("csi-attacher"), image: "x/csi-attacher:v5.0.1" },
      ]),
    );
    expect(stderr).toContain("csi-resizer is csi-resizer v1.9.0, csi-sidecars behaves as v2.2.1");
    expect(stderr).toContain("csi-attacher is csi-attacher v5.0.1, newer than v4.12.0");
  });

  test("the version of a driver or a distribution is not the sidecar's", () => {
    const bundled = { name: "a", image: "example.com/driver-with-sidecars:0.41.0", command: ["/csi-attacher"] };
    expect(translate(deployment([bundled])).stderr).not.toContain("0.41.0");
    const ofDistribution = { name: "a", image: "example.com/origin-csi-external-attacher:4.20" };
    expect(translate(deployment([ofDistribution])).stderr).not.toContain("4.20");
  });

  test("containers that are no objects stay in their places", () => {
    const { stdout } = translate(
      deployment([sidecar("csi-attacher"), { name: "driver", image: "d:v1" }])
        .replace("containers:\n", "containers:\n        - null\n")
        .replace("volumeMounts:\n", "volumeMounts:\n            - null\n            - {name: other, mountPath: /other}\n"),
    );
    const [first, container, ...rest] = containersIn(stdout);
    expect([first, rest.map(({ name }) => name)]).toEqual([null, ["driver"]] as never);
    expect(container).toMatchObject({
      name: "csi-sidecars",
      volumeMounts: [
        { name: "other", mountPath: "/other" },
        { name: "socket", mountPath: "/csi" },
      ],
    });
  });
});

describe("what a container needs", () => {
  test("metrics and health move to one port, with its name; the probe of the driver is answered as before", () => {
    const served = (name: string, port: number, probe = true) => ({
      ...sidecar(name, [`--http-endpoint=:${port}`]),
      ports: [{ name: `${name}-http`, containerPort: port }],
      ...(probe && { livenessProbe: { httpGet: { path: "/healthz/leader-election", port: `${name}-http` }, periodSeconds: port - 8000 } }),
    });
    const service = yamlOf({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "metrics", namespace: "storage" } },
      spec: { selector: { app: "driver" }, ports: [{ name: "resizer", port: 80, targetPort: "csi-resizer-http" }] },
    });
    const { stdout, stderr } = translate([
      deployment([served("csi-attacher", 8020), served("csi-resizer", 8040), sidecar("livenessprobe")]),
      service,
    ]);
    expect(sidecarIn(stdout)).toMatchObject({
      args: expect.arrayContaining(["--http-endpoint=:8020", "--livenessprobe-http-endpoint=0.0.0.0:9808"]),
      ports: [{ name: "csi-attacher-http", containerPort: 8020 }],
      livenessProbe: { httpGet: { path: "/healthz/leader-election", port: "csi-attacher-http" }, periodSeconds: 40 },
    });
    const metrics = translate(deployment([served("csi-attacher", 8020), sidecar("livenessprobe", ["--metrics-address=:8050"])]));
    expect(sidecarIn(metrics.stdout).args?.filter((word) => word.includes("metrics-address"))).toEqual([]);
    expect(metrics.stderr).toContain("what livenessprobe served on port 8050 is served at :8020 now");
    expect(stderr).toContain("what csi-resizer served on port 8040 is served at :8020 now");
    expect(stderr).toContain("Service storage/metrics: port resizer leads to a port that is gone");
  });

  const registrar = (args: readonly string[]) => ({
    ...sidecar("csi-node-driver-registrar", ["--kubelet-registration-path=/reg/csi.sock", ...args]),
    livenessProbe: {
      exec: { command: ["/csi-node-driver-registrar", "--kubelet-registration-path=/reg/csi.sock", "--mode=kubelet-registration-probe"] },
      periodSeconds: 60,
    },
  });

  test("the exec probe of the registrar becomes an HTTP probe where there is an endpoint", () => {
    expect(sidecarIn(translate(deployment([registrar(["--http-endpoint=:9809"])])).stdout).livenessProbe).toEqual({
      httpGet: { path: "/healthz", port: 9809 },
      periodSeconds: 60,
    });
    const { stdout, stderr } = translate(deployment([registrar([])]));
    expect(sidecarIn(stdout).livenessProbe).toEqual({
      exec: {
        command: [
          "/csi-sidecars",
          "csi-node-driver-registrar",
          "--kubelet-registration-path=/reg/csi.sock",
          "--mode=kubelet-registration-probe",
        ],
      },
      periodSeconds: 60,
    });
    expect(stderr).toContain("the exec probe of csi-node-driver-registrar is kept, but it always succeeds");
  });

  test("one mount of the socket is enough; two volumes in one place are reported; who writes keeps writing", () => {
    const at = (name: string, mountPath: string, more: readonly object[] = []) => ({
      ...sidecar(name),
      args: [`--csi-address=${mountPath}/csi.sock`],
      volumeMounts: [{ name: "socket", mountPath }, ...more],
    });
    const { stdout, stderr } = translate(
      deployment([
        at("csi-attacher", "/run/csi", [{ name: "data", mountPath: "/data", readOnly: true }]),
        at("livenessprobe", "/csi", [
          { name: "data", mountPath: "/data" },
          { name: "one", mountPath: "/x" },
        ]),
        at("csi-resizer", "/run/csi", [{ name: "two", mountPath: "/x" }]),
      ]),
    );
    expect(sidecarIn(stdout).volumeMounts).toEqual([
      { name: "socket", mountPath: "/run/csi" },
      { name: "data", mountPath: "/data" },
      { name: "one", mountPath: "/x" },
    ]);
    expect(stderr).toContain("/x is volume one as in livenessprobe; it was two in csi-resizer");
  });

  test("security contexts: restrictions stay, needed privileges too, and differences are reported", () => {
    const secured = (name: string, securityContext: object) => ({ ...sidecar(name), securityContext });
    const strict = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
    const same = translate(deployment([secured("csi-attacher", strict), secured("csi-resizer", strict)]));
    expect(sidecarIn(same.stdout).securityContext).toEqual(strict);
    expect(same.stderr).not.toContain("securityContext");
    const { stdout, stderr } = translate(
      deployment([secured("livenessprobe", strict), secured("csi-node-driver-registrar", { privileged: true })]),
    );
    expect(sidecarIn(stdout).securityContext).toEqual({ readOnlyRootFilesystem: true, privileged: true });
    expect(stderr).toContain("the sidecars differ in securityContext");
    const users = translate(
      deployment([secured("livenessprobe", { runAsUser: 1000, runAsNonRoot: true }), secured("csi-resizer", { runAsUser: 0 })]),
    );
    expect(sidecarIn(users.stdout).securityContext).toEqual({ runAsUser: 0 });
  });

  test("resources: the largest, not less than measured; a limit where all had one", () => {
    const sized = (name: string, request: string, limit?: string) => ({
      ...sidecar(name),
      resources: { requests: { cpu: "10m", memory: request }, ...(limit && { limits: { memory: limit } }) },
    });
    expect(
      sidecarIn(translate(deployment([sized("csi-attacher", "20Mi", "1Gi"), sized("csi-resizer", "200Mi", "200Mi")])).stdout).resources,
    ).toEqual({
      requests: { cpu: "10m", memory: "200Mi" },
      limits: { memory: "1Gi" },
    });
    const { stdout, stderr } = translate(deployment([sized("csi-attacher", "20Mi"), sized("csi-resizer", "20Mi", "200Mi")]));
    expect(sidecarIn(stdout).resources).toEqual({ requests: { cpu: "10m", memory: "128Mi" } });
    expect(stderr).toContain("no memory limit, because not every sidecar had one");
  });

  test("lifecycle hooks need a shell that is not there; other fields are the first sidecar's", () => {
    const { stdout, stderr } = translate(
      deployment([
        { ...sidecar("csi-attacher"), imagePullPolicy: "Always", terminationMessagePolicy: "FallbackToLogsOnError" },
        {
          ...sidecar("csi-resizer"),
          imagePullPolicy: "Never",
          lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "sleep 3"] } } },
        },
      ]),
    );
    expect(sidecarIn(stdout)).toMatchObject({ imagePullPolicy: "Always", terminationMessagePolicy: "FallbackToLogsOnError" });
    expect(sidecarIn(stdout)).not.toHaveProperty("lifecycle");
    expect(stderr).toContain('imagePullPolicy is "Always"; in csi-resizer it was "Never"');
    expect(stderr).toContain("lifecycle of csi-resizer is left out");
  });

  test.each([
    ["an isolated pod", { nodeSelector: { "kubernetes.io/os": "windows" } }, true],
    ["one by its field os", { os: { name: "windows" } }, true],
    ["HostProcess", { os: { name: "windows" }, securityContext: { windowsOptions: { hostProcess: true } } }, false],
    ["Linux", { nodeSelector: { "kubernetes.io/os": "linux" } }, false],
  ])("%s: whether the image needs a Windows of its own", (_what, pod, isolated) => {
    const { stderr } = translate(deployment([sidecar("livenessprobe")], pod));
    expect(stderr.includes("build one of csi-sidecars.exe on a base image of Windows")).toBe(isolated);
  });

  test("two workloads on the host's network with one port are reported, and two that are elected in one namespace", () => {
    const host = (name: string) => deployment([sidecar("livenessprobe"), sidecar(name, ["--leader-election"])], { hostNetwork: true });
    const { stderr } = translate([host("csi-attacher"), host("csi-resizer").replace("name: driver\n", "name: second\n")]);
    expect(stderr).toContain("port 9808 is also one of Deployment storage/driver");
    const on = (os: string) =>
      host("csi-attacher").replace("spec:\n      ", `spec:\n      nodeSelector:\n        kubernetes.io/os: ${os}\n      `);
    expect(translate([on("linux"), on("linux")]).stderr).toContain("port 9808 is also one of");
    expect(translate([on("linux"), on("windows")]).stderr).not.toContain("port 9808 is also one of");
    expect(stderr).toContain("give them different names with --leader-election-lease-name");
  });
});

describe("users and groups", () => {
  const secured = (name: string, securityContext?: object) => ({ ...sidecar(name), ...(securityContext && { securityContext }) });
  const merged = (contexts: readonly (object | undefined)[], pod?: object) => {
    const names = ["csi-attacher", "csi-resizer", "livenessprobe"];
    const containers = contexts.map((context, at) => secured(names[at] ?? "", context));
    const { stdout, stderr } = translate(deployment(containers, pod && { securityContext: pod }));
    return { context: sidecarIn(stdout).securityContext, stderr };
  };

  test.each<[what: string, contexts: (object | undefined)[], pod: object | undefined, expected: object | undefined]>([
    ["two that are not root", [{ runAsUser: 1000 }, { runAsUser: 2000 }], undefined, { runAsUser: 1000 }],
    ["one that the image makes root", [{ runAsUser: 1000 }, undefined], undefined, { runAsUser: 0 }],
    ["one that the pod's user replaces", [{ runAsUser: 2000 }, undefined], { runAsUser: 1000 }, { runAsUser: 2000 }],
    ["one that is what the pod says", [undefined, { runAsUser: 1000, runAsGroup: 5 }], { runAsUser: 1000, runAsGroup: 5 }, undefined],
    [
      "one that must not be root, of an unknown user",
      [{ runAsNonRoot: true }, { runAsUser: 7, runAsNonRoot: true }],
      undefined,
      { runAsUser: 7, runAsNonRoot: true },
    ],
    ["groups that are not root's", [{ runAsGroup: 3 }, { runAsGroup: 4 }], { runAsUser: 1 }, { runAsGroup: 3 }],
    [
      "one that is root in a pod that is not",
      [{ runAsUser: 0, runAsNonRoot: false }, {}],
      { runAsUser: 9, runAsNonRoot: true },
      { runAsUser: 0, runAsNonRoot: false },
    ],
    ["the pod's profile", [{ runAsUser: 1 }, { runAsUser: 2 }], { seccompProfile: { type: "RuntimeDefault" } }, { runAsUser: 1 }],
  ])("%s", (_what, contexts, pod, expected) => {
    expect(merged(contexts, pod).context).toEqual(expected);
  });

  test("an image that runs as root is refused by the kubelet where that is forbidden: said", () => {
    const says = "the image of csi-sidecars runs as root, so the kubelet does not start it; add runAsUser";
    expect(merged([{ runAsNonRoot: true }, { runAsNonRoot: true }]).stderr).toContain(says);
    expect(merged([undefined, undefined], { runAsNonRoot: true }).stderr).toContain(says);
    expect(merged([undefined, undefined], { runAsNonRoot: true, runAsUser: 1000 }).stderr).not.toContain(says);
  });
});
