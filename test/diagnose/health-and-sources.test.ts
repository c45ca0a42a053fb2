import { describe, expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { populatorDefinitions } from "@csi-sidecars/crds";
import type { PolicyRule } from "@csi-sidecars/host";
import { Lease, microTime } from "@csi-sidecars/kube";
import { installDefinitions, presets, startCluster, startScriptedDriver } from "@csi-sidecars/testcluster";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { checkCommand } from "../../packages/diagnose/check/check-command.ts";
import { rbacCommand } from "../../packages/diagnose/rbac/rbac-command.ts";
import { manifestsIn } from "../../packages/diagnose/testing/apply-manifests.ts";

const { program } = chooseProgram("csi-sidecars", []);
const read = ["get", "list", "watch"];

interface Role {
  readonly kind: string;
  readonly rules?: readonly PolicyRule[];
}

/** `list persistentvolumes`, for each rule. */
const grants = (rules: readonly PolicyRule[]) =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`))),
  );

describe("the roles that are printed", () => {
  /** What upstream publishes. */
  const healthMonitor = [
    { apiGroups: [""], resources: ["persistentvolumes", "persistentvolumeclaims", "nodes", "pods"], verbs: read },
    { apiGroups: [""], resources: ["events"], verbs: [...read, "create", "patch"] },
  ];
  const validator = [
    { apiGroups: ["populator.storage.k8s.io"], resources: ["volumepopulators"], verbs: read },
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: read },
    { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "update", "patch"] },
  ];
  test.each<[string, readonly PolicyRule[], string]>([
    ["--controllers=health-monitor", healthMonitor, "nodes"],
    ["--controllers=health-monitor --health-monitor-enable-node-watcher", healthMonitor, ""],
    ["--controllers=volume-data-source-validator", validator, ""],
  ])("%s: no more than upstream's", (line, upstream, without) => {
    const printed = manifestsIn(rbacCommand(line.split(" "), program).stdout) as unknown as readonly Role[];
    const cluster = grants(printed.filter(({ kind }) => kind === "ClusterRole").flatMap(({ rules = [] }) => rules));
    const allowed = new Set(grants(upstream));
    expect(cluster.length).toBeGreaterThan(0);
    expect(cluster.filter((grant) => !allowed.has(grant))).toEqual([]);
    if (without) expect(cluster.filter((grant) => grant.includes(without))).toEqual([]);
    const election = grants(printed.filter(({ kind }) => kind === "Role").flatMap(({ rules = [] }) => rules));
    expect(election).toContain("update leases.coordination.k8s.io");
  });
});

describe("check", () => {
  test.each<[string, readonly "VOLUME_CONDITION"[], 0 | 1, string]>([
    ["a driver that reports conditions", ["VOLUME_CONDITION"], 0, "ok | can run"],
    [
      "a driver that does not",
      [],
      1,
      "error | disabled: CSI driver does not support Controller ListVolumes and GetVolume service or does not implement VolumeCondition",
    ],
  ])("the health-monitor with %s", async (_, capabilities, exitCode, expected) => {
    await using cluster = await startCluster();
    const controller = ["LIST_VOLUMES", ...capabilities] as const;
    await using driver = await startScriptedDriver({ name: "csi.example.com", capabilities: { ...presets.minimal, controller } });
    const result = await check(cluster, `--controllers=health-monitor --csi-address=${driver.address}`);
    expect([result.exitCode, result.controllers]).toEqual([exitCode, [expected]]);
  });

  test("the validator needs the kind VolumePopulator, and no driver", async () => {
    await using cluster = await startCluster();
    const line = "--controllers=volume-data-source-validator";
    const without = await check(cluster, line);
    expect(without.exitCode).toBe(1);
    expect(without.apis).toEqual([expect.stringMatching(/^error \| volumepopulators\.populator\.storage\.k8s\.io is not served: /)]);
    await installDefinitions(cluster.admin, populatorDefinitions);
    expect(await check(cluster, line)).toEqual({ exitCode: 0, apis: [], controllers: ["ok | can run"] });
  });

  test("upstream's health monitor that still leads, and a validator in another namespace", async () => {
    await using cluster = await startCluster();
    const controller = ["LIST_VOLUMES", "VOLUME_CONDITION"] as const;
    await using driver = await startScriptedDriver({ name: "csi.example.com", capabilities: { ...presets.minimal, controller } });
    await installDefinitions(cluster.admin, populatorDefinitions);
    const lease = (namespace: string, name: string) =>
      cluster.admin.create(Lease, {
        metadata: { namespace, name },
        spec: { holderIdentity: "old", leaseDurationSeconds: 15, renewTime: microTime(Date.now()) },
      });
    await lease("default", "external-health-monitor-leader-csi-example-com");
    await lease("kube-system", "data-source-validator-leader");
    const line = `--controllers=health-monitor,volume-data-source-validator --csi-address=${driver.address}`;
    const { exitCode, controllers } = await check(cluster, line);
    expect(exitCode).toBe(0);
    expect(controllers.filter((row) => row.startsWith("warning")).sort()).toEqual([
      expect.stringContaining(
        "csi-external-health-monitor-controller seems to run beside it: Lease default/external-health-monitor-leader-",
      ),
      expect.stringContaining("runs in namespace kube-system too: Lease kube-system/data-source-validator-leader is held by old"),
    ]);
  });

  async function check(cluster: Awaited<ReturnType<typeof startCluster>>, line: string) {
    const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
    const argv = ["--kubeconfig=/kubeconfig", "-o=json", ...line.split(" ")];
    const { exitCode, stdout } = await checkCommand(argv, program, { env: { POD_NAMESPACE: "default" }, clock: systemClock, files });
    const { findings }: { findings: { severity: string; area: string; message: string }[] } = JSON.parse(stdout);
    const rows = (wanted: string) =>
      findings.filter(({ area }) => area === wanted).map(({ severity, message }) => `${severity} | ${message}`);
    return { exitCode, apis: rows("API"), controllers: rows("controller") };
  }
});
