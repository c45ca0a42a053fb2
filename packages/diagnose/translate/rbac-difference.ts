import { readCommandLine, type SidecarProgram } from "@csi-sidecars/host";
import { commandLineOf, electionRules, neededRules, tolerantGates } from "@csi-sidecars/host/sub-commands";
import { hasUnknown, textAt } from "./container.ts";
import { covers, namespaceOfAccount, type Permission, permissionsIn, permissionsOf } from "./granted-rules.ts";
import type { Manifest, Workload } from "./manifests.ts";
import type { NewContainer } from "./merge-sidecars.ts";

/** How the roles of a workload's service account and what the new container needs differ, a rule in a line. */
export interface RbacDifference {
  readonly missing: readonly string[];
  /** Missing too, but needed for some drivers or volumes only. */
  readonly optional: readonly string[];
  readonly superfluous: readonly string[];
  readonly notes: readonly string[];
}

export function compareRoles(
  manifests: readonly Manifest[],
  workload: Workload,
  made: readonly NewContainer[],
  program: SidecarProgram,
): RbacDifference {
  const account = textAt(workload.pod, "serviceAccountName") ?? textAt(workload.pod, "serviceAccount") ?? "default";
  const namespace = workload.namespace || namespaceOfAccount(manifests, account);
  const needed = unique(made.flatMap((container) => neededPermissions(namespace, container, program)));
  if (needed.length === 0) return { missing: [], optional: [], superfluous: [], notes: [] };
  const { bound, permissions, unknown } = permissionsOf(manifests, account, namespace);
  const superfluous = ruleLines(permissions.filter((have) => !needed.some((need) => covers(have, need))));
  if (!bound || unknown.length > 0) {
    const where = namespace ? ` --namespace=${namespace}` : "";
    const names = new Set(made.flatMap(({ controllers }) => controllers.map(({ name }) => name)));
    const command = `csi-sidecars rbac --controllers=${[...names].join(",")}${where} --service-account=${account}`;
    const why = bound
      ? `roles of service account ${account} are not in the input (${unknown.join(", ")}): add their files with -f, or`
      : `no role in the input is bound to service account ${account}:`;
    return {
      missing: [],
      optional: [],
      superfluous,
      notes: [`${why} compare its roles with those that this prints: ${command}`],
    };
  }
  const missing = needed.filter((need) => !permissions.some((have) => have.names === undefined && covers(have, need)));
  const named = missing.filter((need) => permissions.some((have) => covers(have, need)));
  const unnamed = missing.filter((need) => !named.includes(need));
  return {
    missing: ruleLines(unnamed.filter(({ because }) => because === undefined)),
    optional: ruleLines(unnamed.filter(({ because }) => because !== undefined)),
    superfluous,
    notes:
      named.length > 0
        ? [
            `allowed for single names only (resourceNames): ${ruleLines(named).join("; ")}; the lease of csi-sidecars is csi-sidecars-<driver>`,
          ]
        : [],
  };
}

function neededPermissions(
  namespace: string,
  { words, controllers, elects }: NewContainer,
  program: SidecarProgram,
): readonly Permission[] {
  const line = readCommandLine(
    commandLineOf(program),
    words.filter((word) => !hasUnknown(word)),
  );
  if (line.asks !== "run") return [];
  const { settings } = line;
  const { gates } = tolerantGates(program, settings);
  const rules = controllers.map((component) => neededRules(component.rbac(settings.of(component)), gates));
  return [
    ...rules.flatMap(({ cluster }) => cluster.flatMap((rule) => permissionsIn(rule))),
    ...rules.flatMap(({ namespaced }) => namespaced.flatMap((rule) => permissionsIn(rule, namespace))),
    ...(elects ? electionRules.flatMap((rule) => permissionsIn(rule, settings.process.leaderElectionNamespace || namespace)) : []),
  ];
}

const keyOf = ({ group, resource, namespace }: Permission) => `${group}/${resource}/${namespace ?? ""}`;

function unique(permissions: readonly Permission[]): readonly Permission[] {
  return [...new Map(permissions.map((each) => [`${keyOf(each)}/${each.verb}`, each])).values()];
}

/** `get, list on secrets (for classes that name secrets)` */
function ruleLines(permissions: readonly Permission[]): readonly string[] {
  return [...Map.groupBy(permissions, keyOf).values()].map((rules) => {
    const [{ group, resource, namespace, because } = { group: "", resource: "" }] = rules;
    const verbs = [...new Set(rules.map(({ verb }) => verb))].join(", ");
    const where = namespace === undefined ? "" : ` in ${namespace || "the namespace of the pod"}`;
    return `${verbs} on ${resource}${group ? `.${group}` : ""}${where}${because === undefined ? "" : ` (${because})`}`;
  });
}
