import { describe, expect, test } from "bun:test";
import { manifestsIn } from "../testing/apply-manifests.ts";
import { allInOne, individual, judge, mover, prober } from "../testing/programs.ts";
import { rbacCommand } from "./rbac-command.ts";

const run = (line: string, program = allInOne) =>
  rbacCommand(
    line.split(" ").filter((word) => word !== ""),
    program,
  );
const names = (yaml: string) =>
  manifestsIn(yaml).map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name].filter(Boolean).join(" "));

describe("csi-sidecars rbac", () => {
  test("prints one role and binding for each component and scope, and one for the election", () => {
    const { stdout, stderr, exitCode } = run("--controllers=mover,maker --enable-capacity --namespace=storage --service-account driver-sa");
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`# Permissions of csi-sidecars with mover, maker.
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: csi-sidecars-mover
rules:
  - apiGroups: [""]
    resources: ["persistentvolumes"]
    verbs: ["get", "list", "watch", "patch"]
  - apiGroups: ["storage.k8s.io"]
    resources: ["volumeattachments"]
    verbs: ["get", "list", "watch", "patch"]
  - apiGroups: ["storage.k8s.io"]
    resources: ["volumeattachments/status"]
    verbs: ["patch"]
  # reads the secrets that volumes name
  - apiGroups: [""]
    resources: ["secrets"]
    verbs: ["get"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: csi-sidecars-mover
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: csi-sidecars-mover
subjects:
  - kind: ServiceAccount
    name: driver-sa
    namespace: storage
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: csi-sidecars-maker
rules:
  - apiGroups: [""]
    resources: ["persistentvolumes"]
    verbs: ["get", "list", "watch", "create", "delete"]
  # makes volumes from snapshots
  - apiGroups: ["snapshot.storage.k8s.io"]
    resources: ["volumesnapshots"]
    verbs: ["get"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: csi-sidecars-maker
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: csi-sidecars-maker
subjects:
  - kind: ServiceAccount
    name: driver-sa
    namespace: storage
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: csi-sidecars-maker
  namespace: storage
rules:
  # --enable-capacity
  - apiGroups: ["storage.k8s.io"]
    resources: ["csistoragecapacities"]
    verbs: ["get", "list", "watch", "create"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: csi-sidecars-maker
  namespace: storage
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: csi-sidecars-maker
subjects:
  - kind: ServiceAccount
    name: driver-sa
    namespace: storage
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: csi-sidecars-leader-election
  namespace: storage
rules:
  - apiGroups: ["coordination.k8s.io"]
    resources: ["leases"]
    verbs: ["get", "create", "update"]
  # reports in events who leads, and which legacy sidecar blocks it
  - apiGroups: [""]
    resources: ["events"]
    verbs: ["create", "patch"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: csi-sidecars-leader-election
  namespace: storage
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: csi-sidecars-leader-election
subjects:
  - kind: ServiceAccount
    name: driver-sa
    namespace: storage
`);
  });

  test.each<[string, string, string[]]>([
    [
      "an election in another namespace",
      "--controllers=mover --leader-election --leader-election-namespace=elections",
      ["Role elections csi-sidecars-leader-election"],
    ],
    ["no election", "--controllers=mover --leader-election=false", []],
    ["a feature that is off", "--controllers=maker", ["Role default csi-sidecars-leader-election"]],
    [
      "a prefix of its own",
      "--controllers=maker --name-prefix=nfs --enable-capacity",
      ["Role default nfs-maker", "Role default nfs-leader-election"],
    ],
  ])("%s", (_, line, roles) => {
    expect(names(run(line).stdout).filter((name) => name.startsWith("Role "))).toEqual(roles);
  });

  test("a program that asks nothing of the API server needs no role", () => {
    expect(run("--controllers=prober")).toEqual({
      exitCode: 0,
      stdout: "# csi-sidecars with prober needs no access to the cluster.\n",
      stderr: "",
    });
    expect(run("", individual(prober)).stdout).toBe("# prober needs no access to the cluster.\n");
  });

  test("an individual program has one role, named as itself", () => {
    expect(names(run("--timeout=1m", individual(mover)).stdout)).toEqual([
      "ClusterRole csi-mover",
      "ClusterRoleBinding csi-mover",
      "Role default csi-mover-leader-election",
      "RoleBinding default csi-mover-leader-election",
    ]);
  });

  test.each([
    ["alone", "--controllers=judge", ["ClusterRole csi-sidecars-judge"]],
    [
      "beside others: one role for both leases",
      "--controllers=mover,judge",
      ["ClusterRole csi-sidecars-mover", "ClusterRole csi-sidecars-judge"],
    ],
  ])("a component with a lease of its own, %s", (_, line, roles) => {
    const { stdout } = run(line, { ...allInOne, components: [...allInOne.components, judge] });
    expect(names(stdout).filter((name) => !name.includes("Binding"))).toEqual([...roles, "Role default csi-sidecars-leader-election"]);
  });

  const usage = "Run csi-sidecars rbac --help for usage.\n";
  test.each<[string, string, 1 | 2, string]>([
    ["an unknown flag", "--nonsense", 2, `unknown flag: --nonsense\n${usage}`],
    ["an unknown format", "--format=xml", 2, `invalid value "xml" for flag --format: must be one of yaml, helm\n${usage}`],
    ["a format without value", "--format", 2, `flag needs an argument: --format\n${usage}`],
    [
      "a name that no namespace has",
      "--namespace=Sto_rage",
      2,
      `invalid value "Sto_rage" for flag --namespace: a name has lower case letters, digits, dashes and dots only\n${usage}`,
    ],
    [
      "an unknown controller",
      "--controllers=mover,nobody",
      1,
      '--controllers: "nobody" is not in the list of known controllers: mover, maker, prober\n',
    ],
  ])("refuses %s", (_, line, exitCode, stderr) => {
    expect(run(line)).toEqual({ exitCode, stdout: "", stderr });
  });

  test("leaves out the election where the flags do not allow one", () => {
    expect(names(run("--controllers=maker --per-node").stdout)).toEqual([
      "ClusterRole csi-sidecars-maker",
      "ClusterRoleBinding csi-sidecars-maker",
    ]);
  });

  test("leaves out what only a feature that is off would need", () => {
    expect(run("--controllers=maker").stdout).not.toContain("clones.example.com");
    expect(run("--controllers=maker --feature-gates=Clones=true").stdout).toContain("clones.example.com");
    expect(run("--controllers=maker --feature-gates=Clone=true").stderr).toBe(
      "Warning: --feature-gates: unrecognized feature gate: Clone (did you mean Clones?)\n",
    );
  });

  test("explains itself", () => {
    const { exitCode, stdout } = run("--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("--format yaml|helm (default yaml)");
  });

  test("names that YAML takes for numbers or truth are quoted", () => {
    const { stdout } = run("--controllers=mover --namespace=123 --service-account=true");
    expect(manifestsIn(stdout).at(-1)).toMatchObject({ subjects: [{ name: "true", namespace: "123" }] });
  });
});

describe("--format=helm", () => {
  /** As Helm would, for the few words of its language that we use. */
  const rendered = (template: string, controllers: readonly string[], elects: boolean) => {
    const on = (condition: string) =>
      condition === ".Values.leaderElection.enabled"
        ? elects
        : controllers.some((name) => condition === `has "${name}" .Values.controllers`);
    return template
      .replace(/\{\{- \/\*.*?\*\/\}\}\n/s, "")
      .replaceAll(/\{\{- \$.*?\}\}\n/g, "")
      .replaceAll(/\{\{- if (.*?) \}\}\n(.*?)\{\{- end \}\}\n/gs, (_, condition: string, body: string) => (on(condition) ? body : ""))
      .replaceAll("{{ $prefix }}", "csi-sidecars")
      .replaceAll("{{ $namespace | quote }}", '"storage"')
      .replaceAll("{{ .Values.serviceAccount.name | quote }}", '"driver-sa"');
  };
  const template = run("--format=helm --controllers=mover,maker,prober --enable-capacity").stdout;

  test.each<[string, string[], boolean, string]>([
    ["everything", ["mover", "maker"], true, "--controllers=mover,maker --enable-capacity"],
    ["one component", ["mover"], true, "--controllers=mover"],
    ["no election", ["maker"], false, "--controllers=maker --enable-capacity --leader-election=false"],
  ])("comes to the same manifests: %s", (_, controllers, elects, line) => {
    const plain = run(`${line} --namespace=storage --service-account=driver-sa`).stdout;
    expect(manifestsIn(rendered(template, controllers, elects))).toEqual(manifestsIn(plain));
  });

  test("takes what differs between installations from the chart's values", () => {
    expect(template.split("\n").slice(0, 11).join("\n")).toBe(`{{- /*
Permissions of csi-sidecars with mover, maker, prober.
Values: controllers (list), serviceAccount.name, leaderElection.enabled; if set, namespace and rbac.namePrefix.
*/}}
{{- $namespace := .Values.namespace | default .Release.Namespace }}
{{- $prefix := (.Values.rbac).namePrefix | default "csi-sidecars" }}
{{- if has "mover" .Values.controllers }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:`);
  });
});
