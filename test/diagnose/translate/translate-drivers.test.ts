import { describe, expect, test } from "bun:test";
import { parseAllDocuments } from "yaml";
import { containersIn, deployment, sidecar, type TestContainer, translate, yamlOf } from "./testing/translate.ts";

const election = "--leader-election";

/** A sidecar of a second driver in the same pod, whose socket has the same path in another volume. */
const other = (name: string, args: readonly string[] = []): TestContainer => ({
  ...sidecar(name, args),
  name: `other-${name}`,
  volumeMounts: [{ name: "other", mountPath: "/csi" }],
});

const manifest = deployment([
  sidecar("csi-attacher", [election, "--timeout=1m"]),
  other("csi-attacher", [election, "--timeout=2m"]),
  { name: "driver", image: "d:v1" },
  other("csi-resizer", [election]),
  sidecar("csi-provisioner", [election, "--timeout=1m"]),
]);

const inShort = (yaml: string) =>
  containersIn(yaml).map(({ name, args = [], volumeMounts }) => [
    name,
    args.filter((word) => /^--(controllers|(attacher-)?timeout)=/.test(word)),
    volumeMounts ?? [],
  ]);

const expected = [
  ["csi-sidecars", ["--controllers=attacher,provisioner", "--timeout=1m"], [{ name: "socket", mountPath: "/csi" }]],
  ["csi-sidecars-2", ["--controllers=attacher,resizer", "--attacher-timeout=2m"], [{ name: "other", mountPath: "/csi" }]],
  ["driver", [], []],
];

describe("two drivers in a pod", () => {
  test("have a container each, where the first of their sidecars was", () => {
    const { exitCode, stdout, stderr } = translate(manifest);
    expect([exitCode, inShort(stdout)]).toEqual([0, expected]);
    expect(stderr).toStartWith(
      "Deployment storage/driver: csi-attacher, csi-provisioner -> csi-sidecars; other-csi-attacher, other-csi-resizer -> csi-sidecars-2\n",
    );
    expect(stderr).toContain(
      "csi-sidecars-2 is for the driver at volume other/csi.sock, csi-sidecars for the one at volume socket/csi.sock",
    );
    expect(stderr).not.toContain("--leader-election-lease-name");
  });

  test("also in JSON", () => {
    const [document] = parseAllDocuments(manifest);
    expect(inShort(translate(JSON.stringify(document?.toJS())).stdout)).toEqual(expected);
  });

  test("also as one patch", () => {
    const patches = parseAllDocuments(translate(manifest, "-o", "patch").stdout).map((document) => document.toJS());
    expect(patches).toHaveLength(1);
    const { containers } = patches[0].spec.template.spec;
    expect(containers.map(({ name }: TestContainer) => name)).toEqual([
      ...["csi-sidecars", "csi-sidecars-2", "csi-attacher", "csi-provisioner", "other-csi-attacher", "other-csi-resizer"],
    ]);
  });

  test("share a service account, whose roles are for both", () => {
    const rules = [{ apiGroups: [""], resources: ["persistentvolumeclaims/status"], verbs: ["patch"] }];
    const group = "rbac.authorization.k8s.io";
    const role = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: "r" }, rules };
    const binding = {
      ...{ apiVersion: `${group}/v1`, kind: "ClusterRoleBinding", metadata: { name: "r" } },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "r" },
      subjects: [{ kind: "ServiceAccount", name: "driver-sa", namespace: "storage" }],
    };
    const { stderr } = translate([manifest, yamlOf(role), yamlOf(binding)]);
    expect(stderr).not.toContain("RBAC not needed");
    expect(stderr.match(/RBAC missing: .* on persistentvolumes$/gm)).toHaveLength(1);
  });

  test("with a container that has the name already", () => {
    const { stdout } = translate(deployment([{ name: "csi-sidecars", image: "d:v1" }, sidecar("csi-attacher")]));
    expect(containersIn(stdout).map(({ name }) => name)).toEqual(["csi-sidecars", "csi-sidecars-new"]);
  });
});
