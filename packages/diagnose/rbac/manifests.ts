import type { PolicyRule } from "@csi-sidecars/host";
import type { Grant } from "./grants.ts";

/** How a manifest spells what differs between installations. */
interface Spelling {
  /** The name of a role and of its binding, from what comes after the common prefix. */
  name(suffix: string): string;
  namespace(name: string): string;
  readonly serviceAccount: string;
  /** Of the service account. */
  readonly subjectNamespace: string;
}

const group = "rbac.authorization.k8s.io";

/** The role and the binding of a grant, as two YAML documents. */
function renderGrant(grant: Grant, spelling: Spelling): string {
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

interface YamlOptions {
  readonly prefix: string;
  /** Of the service account. */
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Comment lines at the top. */
  readonly about: readonly string[];
}

/** Manifests to apply as they are. */
export function renderYaml(grants: readonly Grant[], { prefix, namespace, serviceAccount, about }: YamlOptions): string {
  const spelling = {
    name: (suffix: string) => scalar(prefix + suffix),
    namespace: scalar,
    serviceAccount: scalar(serviceAccount),
    subjectNamespace: scalar(namespace),
  };
  const comments = about.map((line) => `# ${line}\n`).join("");
  return comments + grants.map((grant) => renderGrant(grant, spelling)).join("");
}

/** A name that YAML would take for something else than text gets quotes. */
function scalar(text: string): string {
  return /^[a-z][a-z0-9.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(text) ? text : JSON.stringify(text);
}

interface HelmOptions {
  /** The prefix of names where the chart's values have none. */
  readonly prefix: string;
  /** The pod's namespace in the grants: the release's in the chart. */
  readonly namespace: string;
  /** Comment lines at the top. */
  readonly about: readonly string[];
}

/**
 * A chart template: each component's grants are there if `.Values.controllers` lists it, those of the election if
 * `.Values.leaderElection.enabled` is set.
 */
export function renderHelm(grants: readonly Grant[], { prefix, namespace, about }: HelmOptions): string {
  const spelling = {
    name: (suffix: string) => `{{ $prefix }}${suffix}`,
    namespace: (name: string) => (name === namespace ? "{{ $namespace | quote }}" : JSON.stringify(name)),
    serviceAccount: "{{ .Values.serviceAccount.name | quote }}",
    subjectNamespace: "{{ $namespace | quote }}",
  };
  const top = [
    "{{- /*",
    ...about,
    "Values: controllers (list), serviceAccount.name, leaderElection.enabled; if set, namespace and rbac.namePrefix.",
    "*/}}",
    "{{- $namespace := .Values.namespace | default .Release.Namespace }}",
    `{{- $prefix := (.Values.rbac).namePrefix | default ${JSON.stringify(prefix)} }}`,
  ];
  const blocks = grants.flatMap((grant) => [`{{- if ${condition(grant)} }}`, renderGrant(grant, spelling).trimEnd(), "{{- end }}"]);
  return [...top, ...blocks].map((line) => `${line}\n`).join("");
}

function condition({ component }: Grant): string {
  return component === undefined ? ".Values.leaderElection.enabled" : `has ${JSON.stringify(component)} .Values.controllers`;
}
