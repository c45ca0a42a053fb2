{{- /* The container of a workload, as an item of a list. */ -}}
{{- define "csi-sidecars.container" -}}
{{- $values := .values -}}
{{- $host := ternary "127.0.0.1" "0.0.0.0" (default false $values.hostNetwork) -}}
{{- $secure := dict "readOnlyRootFilesystem" true "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) -}}
{{- if .root -}}
{{- /* A client of the driver's socket on the host must be its owner, and the kubelet's folder is root's. */ -}}
{{- $secure = merge (dict "runAsUser" 0 "runAsNonRoot" false) $secure -}}
{{- end -}}
- name: {{ .program }}
  image: {{ include "csi-sidecars.image" . | quote }}
  imagePullPolicy: {{ .image.pullPolicy }}
  args:
    {{- range .arguments }}
    - {{ . | quote }}
    {{- end }}
    - {{ printf "--http-endpoint=%s:%d" $host (int $values.port) | quote }}
    {{- if include "csi-sidecars.elects" . }}
    - "--leader-election"
    {{- with .election.namespace }}
    - {{ printf "--leader-election-namespace=%s" . | quote }}
    {{- end }}
    {{- if and (has "leader-election-migration" .known.flags) (not (hasKey $values.flags "leader-election-migration")) }}
    # Pods are ready while an old sidecar is alive, so that a rolling update comes to its pod.
    - "--leader-election-migration=wait"
    {{- end }}
    {{- end }}
    {{- with include "csi-sidecars.gates" $values }}
    - {{ printf "--feature-gates=%s" . | quote }}
    {{- end }}
    {{- range $name, $value := $values.flags }}
    {{- if not (kindIs "invalid" $value) }}
    - {{ printf "--%s=%s" $name (include "csi-sidecars.scalar" $value) | quote }}
    {{- end }}
    {{- end }}
  {{- if or (include "csi-sidecars.usesKube" .) $values.env }}
  env:
    {{- if include "csi-sidecars.usesKube" . }}
    # The identity in the leader election, the namespace of the lease, and for features of the provisioner: where it is.
    - name: POD_NAME
      valueFrom: { fieldRef: { fieldPath: metadata.name } }
    - name: POD_NAMESPACE
      valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
    - name: NAMESPACE
      valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
    - name: NODE_NAME
      valueFrom: { fieldRef: { fieldPath: spec.nodeName } }
    {{- end }}
    {{- with $values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  ports:
    - name: http
      containerPort: {{ int $values.port }}
    {{- range .ports }}
    - name: {{ .name }}
      containerPort: {{ int .port }}
    {{- end }}
  livenessProbe:
    httpGet:
      path: /livez
      port: http
      {{- if $values.hostNetwork }}
      host: 127.0.0.1
      {{- end }}
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 3
  readinessProbe:
    httpGet:
      path: /readyz
      {{- with .readiness }}
      port: {{ .port }}
      scheme: {{ .scheme }}
      {{- else }}
      port: http
      {{- end }}
      {{- if $values.hostNetwork }}
      host: 127.0.0.1
      {{- end }}
    periodSeconds: 5
    timeoutSeconds: 5
  {{- with .lifecycle }}
  lifecycle: {{- toYaml . | nindent 4 }}
  {{- end }}
  resources: {{- toYaml $values.resources | nindent 4 }}
  securityContext: {{- include "csi-sidecars.override" (list $secure $values.securityContext) | nindent 4 }}
  {{- $mounts := concat (.mounts | default list) ($values.volumeMounts | default list) }}
  {{- if .pluginDir }}
  {{- $mounts = prepend $mounts (dict "name" "socket" "mountPath" (dir $values.socket)) }}
  {{- end }}
  {{- if .registers }}
  {{- $mounts = append $mounts (dict "name" "registration" "mountPath" "/registration") }}
  {{- end }}
  {{- with $mounts }}
  volumeMounts: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /* The volumes that the container of a workload needs, as items of a list. */ -}}
{{- define "csi-sidecars.volumes" -}}
{{- if .registers -}}
- name: socket
  hostPath: { path: {{ .pluginDir | quote }}, type: DirectoryOrCreate }
- name: registration
  hostPath: { path: {{ .registrationDir | quote }}, type: Directory }
{{- else -}}
- name: socket
  emptyDir: {}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.image" -}}
{{- $repository := .image.repository -}}
{{- with .image.registry -}}{{- $repository = printf "%s/%s" . $repository -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.image.tag | default (printf "v%s" (include "csi-sidecars.version" .))) -}}
{{- end -}}
{{- end -}}

{{- /* The value of --feature-gates. */ -}}
{{- define "csi-sidecars.gates" -}}
{{- $gates := list -}}
{{- range $name, $on := .featureGates -}}
{{- if not (kindIs "invalid" $on) -}}{{- $gates = append $gates (printf "%s=%v" $name $on) -}}{{- end -}}
{{- end -}}
{{- join "," $gates -}}
{{- end -}}

{{- /* The first map with the fields of the second, also with those that are false or 0, which `merge` takes for empty. */ -}}
{{- define "csi-sidecars.override" -}}
{{- $result := deepCopy (index . 0) -}}
{{- range $name, $value := index . 1 -}}{{- $_ := set $result $name $value -}}{{- end -}}
{{- toYaml $result -}}
{{- end -}}

{{- /* A number of values.yaml as it was written: Helm reads 1000000 as 1e+06. */ -}}
{{- define "csi-sidecars.scalar" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{- int64 . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- end -}}
