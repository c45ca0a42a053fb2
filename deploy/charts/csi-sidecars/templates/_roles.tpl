{{- /* The roles of a workload's controllers and of its leader election, with their bindings. */ -}}
{{- define "csi-sidecars.roles" -}}
{{- if .rbac.create -}}
{{- $alone := eq (len .known.controllers) 1 -}}
{{- range $controller := .controllers -}}
{{- $suffix := ternary "" (printf "-%s" $controller) $alone -}}
{{- $needed := include "csi-sidecars.neededRules" (list $ $controller) | fromYaml -}}
{{- include "csi-sidecars.role" (dict "workload" $ "suffix" $suffix "rules" $needed.cluster) -}}
{{- include "csi-sidecars.role" (dict "workload" $ "suffix" $suffix "rules" $needed.namespaced "namespace" $.namespace) -}}
{{- range $namespace := $.rbac.secretNamespaces -}}
{{- include "csi-sidecars.role" (dict "workload" $ "suffix" (printf "%s-secrets" $suffix) "rules" $needed.secrets "namespace" $namespace) -}}
{{- end -}}
{{- end -}}
{{- if include "csi-sidecars.elects" . -}}
{{- include "csi-sidecars.role" (dict "workload" . "suffix" "-leader-election" "rules" .electionRules "namespace" (.election.namespace | default .namespace)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
The rules of a controller with the workload's flags and gates, as YAML: cluster, namespaced, and secrets, which may be bound per namespace.
Arguments: the workload, the controller.
*/ -}}
{{- define "csi-sidecars.neededRules" -}}
{{- $workload := index . 0 -}}
{{- $needed := dict "cluster" list "namespaced" list "secrets" list -}}
{{- range (index $workload.known.controllers (index . 1)).rules -}}
{{- $rule := . -}}
{{- $holds := eq "true" (include "csi-sidecars.gateIsOn" (list $workload .rule.gate)) -}}
{{- range .when -}}
{{- if ne (toString .is) (include "csi-sidecars.flagIsOn" (list $workload .)) -}}{{- $holds = false -}}{{- end -}}
{{- end -}}
{{- $secrets := has "secrets" .rule.resources -}}
{{- $scope := .scope -}}
{{- if and $secrets (ne $workload.rbac.secrets "cluster") -}}{{- $scope = "secrets" -}}{{- end -}}
{{- if $holds -}}{{- $_ := set $needed $scope (append (get $needed $scope) .rule) -}}{{- end -}}
{{- end -}}
{{- $needed | toYaml -}}
{{- end -}}

{{- /* Whether a gate is on, as "true" or "". Arguments: the workload, the gate's name or nothing. */ -}}
{{- define "csi-sidecars.gateIsOn" -}}
{{- $workload := index . 0 -}}
{{- $name := index . 1 -}}
{{- $on := true -}}
{{- if $name -}}
{{- $gate := index $workload.known.gates $name -}}
{{- $asked := $workload.values.featureGates -}}
{{- $stage := get (dict "alpha" "AllAlpha" "beta" "AllBeta") $gate.stage -}}
{{- $on = $gate.initial -}}
{{- range list $stage $name -}}
{{- if and (hasKey $asked .) (not (kindIs "invalid" (get $asked .))) -}}{{- $on = get $asked . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $on -}}true{{- end -}}
{{- end -}}

{{- /* Whether a flag is on, or a duration above zero, as "true" or "false". Arguments: the workload, the condition. */ -}}
{{- define "csi-sidecars.flagIsOn" -}}
{{- $workload := index . 0 -}}
{{- $condition := index . 1 -}}
{{- $text := "" -}}
{{- range reverse $condition.spellings -}}
{{- $value := index $workload.values.flags . -}}
{{- if not (kindIs "invalid" $value) -}}{{- $text = include "csi-sidecars.scalar" $value -}}{{- end -}}
{{- end -}}
{{- if not $text -}}
{{- $condition.initially -}}
{{- else -}}
{{- not (regexMatch "^(-.*|0|(0+(\\.0*)?(ns|us|µs|ms|s|m|h))+|f|F|false|FALSE|False)$" $text) -}}
{{- end -}}
{{- end -}}

{{- /* A role and its binding to the workload's account; nothing without rules. A namespace makes it a Role. */ -}}
{{- define "csi-sidecars.role" -}}
{{- if .rules -}}
{{- $kind := ternary "Role" "ClusterRole" (hasKey . "namespace") -}}
{{- $prefix := .workload.rbac.namePrefix | default .workload.rolePrefix }}
{{- range $part := list $kind (printf "%sBinding" $kind) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $part }}
metadata:
  name: {{ $prefix }}{{ $.suffix }}
  {{- with $.namespace }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- toYaml $.workload.labels | nindent 4 }}
{{- if eq $part $kind }}
rules:
  {{- range $.rules }}
  {{- with .because }}
  # {{ . }}
  {{- end }}
  - apiGroups: {{ toJson .apiGroups }}
    resources: {{ toJson .resources }}
    verbs: {{ toJson .verbs }}
  {{- end }}
{{- else }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $prefix }}{{ $.suffix }}
subjects:
  - kind: ServiceAccount
    name: {{ $.workload.serviceAccount }}
    namespace: {{ $.workload.namespace }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
