import type { PolicyRule } from "@csi-sidecars/host";
import type { Grant } from "./generate.ts";

/** How a manifest spells what differs between installations. */
export interface Spelling {
  /** The name of a role and of its binding, from what comes after the common prefix. */
  name(suffix: string): string;
  namespace(name: string): string;
  readonly serviceAccount: string;
  /** Of the service account. */
  readonly subjectNamespace: string;
}

const group = "rbac.authorization.k8s.io";

/** The role and the binding of a grant, as two YAML documents. */
export function renderGrant(grant: Grant, spelling: Spelling): string {
  const kind = grant.namespace === undefined ? "ClusterRole" : "Role";
  const name = spelling.name(grant.suffix);
  const metadata = ["metadata:", `  name: ${name}`];
  if (grant.namespace !== undefined) metadata.push(`  namespace: ${spelling.namespace(grant.namespace)}`);
  const role = [...head(kind), ...metadata, "rules:", ...grant.rules.flatMap(ruleLines)];
  const binding = [
    ...head(`${kind}Binding`),
    ...metadata,
    "roleRef:",
    `  apiGroup: ${group}`,
    `  kind: ${kind}`,
    `  name: ${name}`,
    "subjects:",
    "  - kind: ServiceAccount",
    `    name: ${spelling.serviceAccount}`,
    `    namespace: ${spelling.subjectNamespace}`,
  ];
  return [...role, ...binding].map((line) => `${line}\n`).join("");
}

function head(kind: string): readonly string[] {
  return ["---", `apiVersion: ${group}/v1`, `kind: ${kind}`];
}

function ruleLines({ apiGroups, resources, verbs, because }: PolicyRule): readonly string[] {
  return [
    ...(because === undefined ? [] : [`  # ${because.replaceAll(/\s+/g, " ")}`]),
    `  - apiGroups: ${flow(apiGroups)}`,
    `    resources: ${flow(resources)}`,
    `    verbs: ${flow(verbs)}`,
  ];
}

function flow(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}
