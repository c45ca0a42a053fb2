import { describe, expect, test } from "bun:test";
import { deployment, sidecar, translate, yamlOf } from "./testing/translate.ts";

describe("the roles in the input", () => {
  const bound = (rules: readonly object[]) =>
    [
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r" }, rules },
      {
        ...{
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: "r" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
        },
        subjects: [{ kind: "ServiceAccount", name: "driver-sa", namespace: "storage" }],
      },
    ].map(yamlOf);
  const rule = (apiGroup: string, resource: string, ...verbs: readonly string[]) => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs,
  });
  const attacher = [
    rule("", "persistentvolumes", "get", "list", "watch", "patch"),
    rule("storage.k8s.io", "csinodes", "get", "list", "watch"),
    rule("storage.k8s.io", "volumeattachments", "*"),
    rule("storage.k8s.io", "volumeattachments/status", "patch"),
  ];
  const manifest = deployment([sidecar("csi-attacher", ["--leader-election"])]);
  const rbacLines = (rules: readonly object[]) =>
    translate([manifest, ...bound(rules)])
      .stderr.split("\n")
      .filter((line) => line.includes("RBAC"));

  test("are compared with what the controllers need", () => {
    const complete = [
      ...attacher,
      rule("", "secrets", "get"),
      rule("coordination.k8s.io", "leases", "get", "create", "update"),
      rule("", "events", "create", "patch"),
    ];
    expect(rbacLines(complete).filter((line) => line.includes("missing"))).toEqual([]);
    expect(rbacLines([...attacher.slice(1), rule("", "nodes", "list")])).toEqual([
      "  RBAC missing: get, list, watch, patch on persistentvolumes",
      "  RBAC missing: get, create, update on leases.coordination.k8s.io in storage",
      expect.stringContaining("RBAC missing, optional: get on secrets"),
      expect.stringContaining("RBAC missing, optional: create, patch on events in storage"),
      "  RBAC not needed by csi-sidecars: list on nodes",
    ]);
  });

  test("that allow single names of leases are no permission for the new one", () => {
    const leases = { ...rule("coordination.k8s.io", "leases", "get", "update"), resourceNames: ["external-attacher-leader-x"] };
    expect(translate([manifest, ...bound([...attacher, leases])]).stderr).toContain(
      "allowed for single names only (resourceNames): get, update on leases.coordination.k8s.io",
    );
  });

  test("count for a workload without namespace, whose account the bindings name", () => {
    const without = manifest.replace("  namespace: storage\n", "");
    expect(without).not.toBe(manifest);
    const { stderr } = translate([without, ...bound([...attacher, rule("coordination.k8s.io", "leases", "get", "create", "update")])]);
    expect(stderr).not.toContain("no role in the input");
    expect(stderr.split("\n").filter((line) => line.includes("RBAC missing:"))).toEqual([]);
  });

  test("count where an aggregated ClusterRole gets them from others", () => {
    const [role, binding] = bound(attacher);
    const label = { "example.com/for": "driver" };
    const aggregated = yamlOf({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r" }, rules: [] },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] },
    });
    const part = String(role).replace("name: r\n", `name: part\n  labels: ${JSON.stringify(label)}\n`);
    const { stderr } = translate([manifest, aggregated, part, String(binding)]);
    expect(stderr.split("\n").filter((line) => line.includes("RBAC missing:"))).toEqual([
      "  RBAC missing: get, create, update on leases.coordination.k8s.io in storage",
    ]);
  });

  test("are partly elsewhere: nothing is called missing, and the role is named", () => {
    const [role, binding] = bound(attacher);
    const other = String(binding).replaceAll("name: r\n", "name: external-attacher-runner\n");
    const { stderr } = translate([manifest, String(role), String(binding), other]);
    expect(stderr).not.toContain("RBAC missing");
    expect(stderr).toContain(
      "roles of service account driver-sa are not in the input (ClusterRole external-attacher-runner): add their files with -f",
    );
  });

  test("are not there: the command that prints them is named", () => {
    expect(translate(manifest).stderr).toContain(
      "csi-sidecars rbac --controllers=attacher --namespace=storage --service-account=driver-sa",
    );
  });
});
