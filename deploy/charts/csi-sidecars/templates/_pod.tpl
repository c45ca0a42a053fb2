{{- /* The metadata of a workload's pods. */ -}}
{{- define "csi-sidecars.podMetadata" -}}
labels: {{- toYaml (merge (deepCopy .selector) .values.podLabels) | nindent 2 }}
{{- with .values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The fields of a workload's pods beside its containers and volumes. */ -}}
{{- define "csi-sidecars.podSpec" -}}
{{- $values := .values -}}
{{- $secure := dict "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not .root -}}
{{- /* All containers: a client of the driver's socket must be its owner or root. */ -}}
{{- $secure = merge $secure (dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532) -}}
{{- end -}}
serviceAccountName: {{ .serviceAccount }}
{{- with .pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
# Longer than --shutdown-timeout (30s): calls in flight end before the kubelet kills the container.
terminationGracePeriodSeconds: {{ int $values.terminationGracePeriodSeconds }}
{{- if $values.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if hasKey $values "replicas" }}
topologySpreadConstraints:
  {{- if $values.topologySpreadConstraints }}
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- toYaml $.selector | nindent 8 }}
  {{- end }}
  {{- end }}
{{- end }}
securityContext: {{- include "csi-sidecars.override" (list $secure $values.podSecurityContext) | nindent 2 }}
{{- end -}}

{{- /* Replicas and selector of a workload's Deployment, StatefulSet or DaemonSet. */ -}}
{{- define "csi-sidecars.workloadSpec" -}}
{{- if hasKey .values "replicas" -}}
replicas: {{ int .values.replicas }}
{{ end -}}
selector:
  matchLabels: {{- toYaml .selector | nindent 4 }}
{{- end -}}

{{- /* Name, namespace and labels of an object of a workload. Arguments: the workload, the end of the name. */ -}}
{{- define "csi-sidecars.metadata" -}}
{{- $workload := index . 0 -}}
name: {{ printf "%s%s" $workload.name (index . 1) }}
namespace: {{ $workload.namespace }}
labels: {{- toYaml $workload.labels | nindent 2 }}
{{- end -}}
