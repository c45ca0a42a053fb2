import type { Grant } from "./generate.ts";
import { renderGrant } from "./render.ts";

export interface HelmOptions {
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
