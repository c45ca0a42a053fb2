import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rbacCommand } from "@csi-sidecars/diagnose/rbac";
import type { PolicyRule } from "@csi-sidecars/host";
import { parseAllDocuments } from "yaml";
import { chartPrograms } from "../../tools/generate-deploy/chart-programs.ts";
import type { Manifest } from "../../tools/generate-deploy/manifests.ts";
import { Charts, helmIsMissing, releaseNamespace } from "./testing/helm.ts";
import { podOwners } from "./testing/pods.ts";
import { valueSets } from "./testing/value-sets.ts";

interface Role extends Manifest {
  readonly rules: readonly PolicyRule[];
}
interface Binding extends Manifest {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

/** Everything that the roles allow an account, one entry for each verb and place. */
function allowed(manifests: readonly Manifest[], account: string): readonly string[] {
  const bindings = manifests.filter((manifest): manifest is Binding => /^(Cluster)?RoleBinding$/.test(manifest.kind));
  const roles = manifests.filter((manifest): manifest is Role => /^(Cluster)?Role$/.test(manifest.kind));
  const entries = bindings
    .filter(({ subjects }) => subjects.some(({ name, namespace }) => name === account && namespace === releaseNamespace))
    .flatMap(({ metadata, roleRef }) => {
      const role = roles.find(
        (one) => one.kind === roleRef.kind && one.metadata.name === roleRef.name && one.metadata.namespace === metadata.namespace,
      );
      if (!role) throw new Error(`${metadata.name} binds a role that is not there`);
      return role.rules.flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${metadata.namespace ?? "*"} ${verb} ${resource}.${group}`)),
        ),
      );
    });
  return [...new Set(entries)].sort();
}

/** What the program itself says that a command line needs. */
function needed(name: string, args: readonly string[], account: string): readonly string[] {
  const program = chartPrograms.find((one) => one.name === name)!;
  const election = args.includes("--leader-election") ? [] : name === "snapshot-webhook" ? [] : ["--leader-election=false"];
  const about = [`--namespace=${releaseNamespace}`, `--service-account=${account}`];
  const { exitCode, stdout } = rbacCommand([...about, ...election, ...args], program);
  expect(exitCode).toBe(0);
  const manifests = parseAllDocuments(stdout).map((document): Manifest | null => document.toJS());
  return allowed(
    manifests.filter((manifest) => manifest !== null),
    account,
  );
}

describe.skipIf(helmIsMissing !== "")(`the roles of the charts${helmIsMissing}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  async function compare(chart: string, values: object, secrets: readonly string[] | undefined) {
    const manifests = await charts.render(chart, values);
    for (const { spec } of podOwners(manifests)) {
      const { containers, serviceAccountName } = spec.template.spec;
      for (const { name, args } of containers.filter(({ name }) => chartPrograms.some((program) => program.name === name))) {
        const rules = needed(name, args, serviceAccountName);
        const places = (rule: string) => (secrets && / secrets\.$/.test(rule) ? secrets.map((place) => rule.replace("*", place)) : [rule]);
        expect(allowed(manifests, serviceAccountName)).toEqual([...new Set(rules.flatMap(places))].sort());
      }
    }
  }

  test.each(valueSets)("allow what the program needs and no more: %s: %s", async (_about, chart, values) => {
    const { rbac = {} } =
      (values as { readonly "csi-sidecars"?: { readonly rbac?: { secrets?: string; secretNamespaces?: string[] } } })["csi-sidecars"] ?? {};
    await compare(chart, values, rbac.secrets === "none" ? [] : rbac.secretNamespaces);
  });

  const program = chartPrograms[0]!;
  test.each(program.components.map(({ name }) => name))("%s alone has its own roles alone", async (name) => {
    const controller = { controllers: [name] };
    await compare("example-driver", { "csi-sidecars": { controller, node: { enabled: false } } }, undefined);
  });

  const followed: [flags: object, gates: object][] = [
    [{ "node-deployment": true }, {}],
    [{ "node-deployment": "true", "provisioner-node-deployment": "f" }, {}],
    [{ "enable-capacity": 1 }, {}],
    [{ "provisioner-enable-capacity": "T" }, {}],
    [{ "snapshot-orphan-sweep-interval": "0h0m0.0s" }, {}],
    [{ "snapshot-orphan-sweep-interval": "-1s" }, {}],
    [{ "snapshot-orphan-sweep-interval": "0h1m" }, {}],
    [{ "snapshot-orphan-sweep-interval": "0.5s" }, {}],
    [{ "snapshot-orphan-sweep-interval": 0 }, {}],
    [{ "resizer-handle-volume-inuse-error": "False" }, {}],
    [{ "enable-node-watcher": true }, {}],
    [{}, { AllAlpha: true }],
    [{}, { AllAlpha: true, CrossNamespaceVolumeDataSource: false }],
    [{}, { VolumeAttributesClass: false }],
    [{}, { AllBeta: false, CSIVolumeGroupSnapshot: false }],
    [{}, { CSIVolumeGroupSnapshot: null }],
  ];
  test.each(followed)("follow the flags %j and the gates %j", async (flags, featureGates) => {
    const controllers = program.components.map(({ name }) => name).filter((name) => name !== "node-driver-registrar");
    const controller = { controllers, replicas: 1, leaderElection: { enabled: false }, flags, featureGates };
    await compare("example-driver", { "csi-sidecars": { controller, node: { enabled: false } } }, undefined);
  });

  test("are not made on request", async () => {
    const manifests = await charts.render("example-driver", { "csi-sidecars": { rbac: { create: false } } });
    expect(manifests.filter(({ apiVersion }) => apiVersion.startsWith("rbac."))).toEqual([]);
  });
});
