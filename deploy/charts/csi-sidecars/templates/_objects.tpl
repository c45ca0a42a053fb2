{{- /* The objects around a workload: everything but the workload itself. */ -}}
{{- define "csi-sidecars.objects" -}}
{{- $workload := . -}}
{{- range list "serviceAccount" "roles" "podDisruptionBudget" "service" "podMonitor" "networkPolicy" }}
{{ include (printf "csi-sidecars.%s" .) $workload }}
{{- end }}
{{- end -}}

{{- define "csi-sidecars.serviceAccount" -}}
{{- if .values.serviceAccount.create -}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .serviceAccount }}
  namespace: {{ .namespace }}
  labels: {{- toYaml .labels | nindent 4 }}
  {{- with .values.serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: {{ if or (include "csi-sidecars.usesKube" .) .values.serviceAccount.automountToken }}true{{ else }}false{{ end }}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.podDisruptionBudget" -}}
{{- $budget := .values.podDisruptionBudget | default dict -}}
{{- if and $budget.enabled (gt (int .values.replicas) 1) -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "csi-sidecars.metadata" (list . "") | nindent 2 }}
spec:
  {{- if not (kindIs "invalid" $budget.minAvailable) }}
  minAvailable: {{ include "csi-sidecars.scalar" $budget.minAvailable }}
  {{- else if not (kindIs "invalid" $budget.maxUnavailable) }}
  maxUnavailable: {{ include "csi-sidecars.scalar" $budget.maxUnavailable }}
  {{- else }}
  maxUnavailable: 1
  {{- end }}
  selector:
    matchLabels: {{- toYaml .selector | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.service" -}}
{{- if .values.service.enabled -}}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "csi-sidecars.metadata" (list . "-metrics") | nindent 2 }}
  {{- with .values.service.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Every replica has metrics of its own.
  clusterIP: None
  selector: {{- toYaml .selector | nindent 4 }}
  ports:
    - { name: http, port: {{ int .values.port }}, targetPort: http }
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.podMonitor" -}}
{{- if .values.podMonitor.enabled -}}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  {{- include "csi-sidecars.metadata" (list (merge (dict "labels" (merge (deepCopy .labels) .values.podMonitor.labels)) .) "") | nindent 2 }}
spec:
  selector:
    matchLabels: {{- toYaml .selector | nindent 6 }}
  podMetricsEndpoints:
    - port: http
      path: {{ index .values.flags "metrics-path" | default "/metrics" }}
      interval: {{ .values.podMonitor.interval }}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.networkPolicy" -}}
{{- $policy := .values.networkPolicy -}}
{{- if $policy.enabled -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "csi-sidecars.metadata" (list . "") | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- toYaml .selector | nindent 6 }}
  policyTypes: [Ingress{{ if $policy.egress }}, Egress{{ end }}]
  ingress:
    - ports:
        - { protocol: TCP, port: http }
      {{- with $policy.from }}
      from: {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- range .ports }}
    - ports:
        - { protocol: TCP, port: {{ .name }} }
    {{- end }}
    {{- with $policy.ingress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $policy.egress }}
  egress: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
