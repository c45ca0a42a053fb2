{{- /*
A workload is what the other templates know of one pod, as JSON: path (of its values), program, component, name, namespace, labels, selector,
values, controllers, arguments (those that the chart decides), reserved (flags that are set by other values), image, known (of the program).
*/ -}}

{{- /* The workload of a section, "controller" or "node". Arguments: the chart's context, the section. */ -}}
{{- define "csi-sidecars.workload" -}}
{{- $root := index . 0 -}}
{{- $section := index . 1 -}}
{{- $all := index $root.Values "csi-sidecars" | required "the chart needs the dependency csi-sidecars without an alias" -}}
{{- $values := index $all $section -}}
{{- $path := printf "csi-sidecars.%s" $section -}}
{{- $driver := $all.driver.name | required "csi-sidecars.driver.name: set it to the name of the CSIDriver object" -}}
{{- include "csi-sidecars.check.ports" $all -}}
{{- include "csi-sidecars.check.sections" (list $root $all) -}}
{{- $names := dict "root" $root "component" $section "fullname" $all.fullnameOverride -}}
{{- $registers := has "node-driver-registrar" $values.controllers -}}
{{- $pluginDir := printf "%s/plugins/%s" $all.kubelet.dir $driver -}}
{{- $election := $values.leaderElection | default dict -}}
{{- $controllers := uniq $values.controllers -}}
{{- $arguments := list (printf "--controllers=%s" (join "," $controllers)) (printf "--csi-address=%s" $values.socket) -}}
{{- if $registers -}}
{{- $arguments = append $arguments (printf "--kubelet-registration-path=%s/%s" $pluginDir (base $values.socket)) -}}
{{- end -}}
{{- $reserved := dict "controllers" (printf "%s.controllers" $path) "csi-address" (printf "%s.socket" $path) "kubelet-registration-path" "csi-sidecars.kubelet.dir" "node-driver-registrar-kubelet-registration-path" "csi-sidecars.kubelet.dir" "plugin-registration-path" "csi-sidecars.kubelet.dir" "node-driver-registrar-plugin-registration-path" "csi-sidecars.kubelet.dir" -}}
{{- $workload := dict "path" $path "program" "csi-sidecars" "values" $values "controllers" $controllers "election" $election "arguments" $arguments "reserved" $reserved "image" $all.image "pullSecrets" $all.imagePullSecrets "root" $registers "rbac" $all.rbac "rbacPath" "csi-sidecars.rbac" "rolePrefix" (include "csi-sidecars.fullname" $names) "pluginDir" $pluginDir "registrationDir" (printf "%s/plugins_registry" $all.kubelet.dir) "registers" $registers -}}
{{- include "csi-sidecars.describe" (list $names $workload) -}}
{{- end -}}

{{- /* Completes a workload with its names, and refuses what cannot work. Arguments: the names' context, the workload. */ -}}
{{- define "csi-sidecars.describe" -}}
{{- $names := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $root := $names.root -}}
{{- $fullname := include "csi-sidecars.fullname" $names -}}
{{- $selector := dict "app.kubernetes.io/name" $root.Chart.Name "app.kubernetes.io/instance" $root.Release.Name "app.kubernetes.io/component" $names.component -}}
{{- $labels := merge (dict "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") "app.kubernetes.io/managed-by" $root.Release.Service) $selector -}}
{{- $programs := include "csi-sidecars.programs" $root | fromYaml -}}
{{- $known := index $programs.programs $workload.program -}}
{{- $name := $names.name | default (printf "%s-%s" $fullname $names.component) -}}
{{- $account := $workload.values.serviceAccount.name | default (ternary $name "" $workload.values.serviceAccount.create) -}}
{{- $_ := merge $workload (dict "component" $names.component "name" $name "namespace" $root.Release.Namespace "selector" $selector "labels" $labels "known" $known "electionRules" $programs.electionRules "serviceAccount" $account) -}}
{{- include "csi-sidecars.check" $workload -}}
{{- $workload | toJson -}}
{{- end -}}

{{- /* Short enough for the revision label of a StatefulSet, with the component behind it. */ -}}
{{- define "csi-sidecars.fullname" -}}
{{- if .fullname -}}
{{- .fullname | trunc 40 | trimSuffix "-" -}}
{{- else if contains .root.Chart.Name .root.Release.Name -}}
{{- .root.Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .root.Release.Name .root.Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Whether the workload elects a leader, as "true" or "". */ -}}
{{- define "csi-sidecars.elects" -}}
{{- if .election.enabled -}}
{{- range .controllers -}}{{- if (index $.known.controllers .).elected -}}true{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Whether the workload talks to the API server, as "true" or "". */ -}}
{{- define "csi-sidecars.usesKube" -}}
{{- range .controllers -}}{{- if (index $.known.controllers .).kube -}}true{{- end -}}{{- end -}}
{{- end -}}
