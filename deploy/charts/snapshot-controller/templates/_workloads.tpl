{{- /* The workload of snapshot-controller, as the templates of csi-sidecars want it. */ -}}
{{- define "snapshot-controller.controller" -}}
{{- $fullname := include "csi-sidecars.fullname" (dict "root" . "fullname" .Values.fullnameOverride) -}}
{{- $workload := dict "path" "controller" "program" "snapshot-controller" "values" .Values.controller "controllers" (list "snapshot-controller") "election" .Values.controller.leaderElection "arguments" list "reserved" dict "image" .Values.controller.image "pullSecrets" .Values.imagePullSecrets "root" false "rbac" (include "snapshot-controller.rbac" . | fromJson) "rbacPath" "rbac" "rolePrefix" $fullname -}}
{{- include "csi-sidecars.describe" (list (dict "root" . "component" "controller" "fullname" .Values.fullnameOverride "name" $fullname) $workload) -}}
{{- end -}}

{{- define "snapshot-controller.webhook" -}}
{{- $fullname := include "csi-sidecars.fullname" (dict "root" . "fullname" .Values.fullnameOverride) -}}
{{- $name := printf "%s-webhook" $fullname -}}
{{- $folder := "/etc/snapshot-webhook/certs" -}}
{{- $arguments := list (printf "--tls-cert-file=%s/tls.crt" $folder) (printf "--tls-private-key-file=%s/tls.key" $folder) "--port=8443" -}}
{{- $reserved := dict "tls-cert-file" "webhook.certificate" "tls-private-key-file" "webhook.certificate" "port" "nothing: the Service has port 443" -}}
{{- $workload := dict "path" "webhook" "program" "snapshot-webhook" "values" .Values.webhook "controllers" (list "snapshot-webhook") "election" dict "arguments" $arguments "reserved" $reserved "image" .Values.webhook.image "pullSecrets" .Values.imagePullSecrets "root" false "rbac" (include "snapshot-controller.rbac" . | fromJson) "rbacPath" "rbac" "rolePrefix" $name "ports" (list (dict "name" "https" "port" 8443)) "readiness" (dict "port" "https" "scheme" "HTTPS") "lifecycle" (dict "preStop" (dict "sleep" (dict "seconds" 5))) "mounts" (list (dict "name" "certs" "mountPath" $folder "readOnly" true)) -}}
{{- include "csi-sidecars.describe" (list (dict "root" . "component" "webhook" "fullname" .Values.fullnameOverride "name" $name) $workload) -}}
{{- end -}}

{{- /* Neither program reads secrets. */ -}}
{{- define "snapshot-controller.rbac" -}}
{{- dict "create" .Values.rbac.create "secrets" "none" "secretNamespaces" list | toJson -}}
{{- end -}}

{{- /* The name of the Secret with the webhook's certificate. */ -}}
{{- define "snapshot-controller.secret" -}}
{{- .Values.webhook.certificate.existingSecret | default (printf "%s-certs" (include "snapshot-controller.webhook" . | fromJson).name) -}}
{{- end -}}

{{- /* Where the API server finds the webhook. Arguments: the chart's context, the path. */ -}}
{{- define "snapshot-controller.clientConfig" -}}
{{- $root := index . 0 -}}
service:
  name: {{ (include "snapshot-controller.webhook" $root | fromJson).name }}
  namespace: {{ $root.Release.Namespace }}
  path: {{ index . 1 }}
{{- with $root.Values.webhook.certificate.caBundle }}
caBundle: {{ b64enc . }}
{{- end }}
{{- end -}}

{{- /* By this cert-manager's injector writes its authority. */ -}}
{{- define "snapshot-controller.injection" -}}
{{- if .Values.webhook.certificate.certManager.enabled -}}
cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/{{ (include "snapshot-controller.webhook" . | fromJson).name }}
{{- end -}}
{{- end -}}

{{- define "snapshot-controller.checkCertificate" -}}
{{- with .Values.webhook -}}
{{- $manager := .certificate.certManager -}}
{{- if and (not $manager.enabled) (not .certificate.existingSecret) -}}
{{- fail "webhook.certificate: set existingSecret and caBundle, or certManager.enabled" -}}
{{- end -}}
{{- if and (not $manager.enabled) (not .certificate.caBundle) -}}
{{- fail "webhook.certificate.caBundle: the API server trusts no other authority for this webhook: give the one of existingSecret, in PEM" -}}
{{- end -}}
{{- if and $manager.enabled (or .certificate.existingSecret .certificate.caBundle) -}}
{{- fail "webhook.certificate: set existingSecret and caBundle, or certManager.enabled, not both" -}}
{{- end -}}
{{- if and .certificate.caBundle (not (contains "-----BEGIN CERTIFICATE-----" .certificate.caBundle)) -}}
{{- fail "webhook.certificate.caBundle: is no certificate in PEM" -}}
{{- end -}}
{{- if and .conversion (not $.Values.crds.install) -}}
{{- fail "webhook.conversion: is part of a definition that this chart does not install: set it to false, or crds.install to true" -}}
{{- end -}}
{{- end -}}
{{- end -}}
