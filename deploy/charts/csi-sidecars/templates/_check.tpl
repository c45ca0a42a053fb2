{{- /* Refuses a workload that cannot work; each message begins with the value to change. */ -}}
{{- define "csi-sidecars.check" -}}
{{- $values := .values -}}
{{- if not .controllers -}}
{{- fail (printf "%s.controllers: name at least one of %s" .path (keys .known.controllers | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range .controllers -}}
{{- if not (hasKey $.known.controllers .) -}}
{{- fail (printf "%s.controllers: %q is no controller: use %s" $.path . (keys $.known.controllers | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- if not .serviceAccount -}}
{{- fail (printf "%s.serviceAccount.name: name the account, as it is not created" .path) -}}
{{- end -}}
{{- include "csi-sidecars.check.replicas" . -}}
{{- include "csi-sidecars.check.flags" . -}}
{{- include "csi-sidecars.check.nodes" . -}}
{{- if and $values.hostNetwork (or $values.podMonitor.enabled $values.service.enabled) -}}
{{- fail (printf "%s.hostNetwork: the port is then open to the node alone: disable podMonitor and service" .path) -}}
{{- end -}}
{{- if and $values.hostNetwork $values.networkPolicy.enabled -}}
{{- fail (printf "%s.networkPolicy.enabled: has no effect with hostNetwork" .path) -}}
{{- end -}}
{{- with .rbac -}}
{{- if and (eq .secrets "namespaces") (not .secretNamespaces) -}}
{{- fail (printf "%s.secretNamespaces: name the namespaces of the secrets, as %s.secrets is namespaces" $.rbacPath $.rbacPath) -}}
{{- end -}}
{{- if and .secretNamespaces (ne .secrets "namespaces") -}}
{{- fail (printf "%s.secretNamespaces: has no effect unless %s.secrets is namespaces" $.rbacPath $.rbacPath) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A DaemonSet elects nobody: what may act once only does not belong there, unless every instance serves its own node. */ -}}
{{- define "csi-sidecars.check.nodes" -}}
{{- if not (hasKey .values "replicas") -}}
{{- range $controller := .controllers -}}
{{- $known := index $.known.controllers $controller -}}
{{- if $known.elected -}}
{{- if not $known.nodeDeployment -}}
{{- fail (printf "%s.controllers: %s must not run on every node: list it in csi-sidecars.controller.controllers" $.path $controller) -}}
{{- end -}}
{{- if ne "true" (include "csi-sidecars.flagIsOn" (list $ (dict "spellings" $known.nodeDeployment "initially" false))) -}}
{{- fail (printf "%s.flags.node-deployment: must be true, as %s runs on every node" $.path $controller) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* What acts once for the cluster cannot be in two workloads: both would act, with one set of roles. Arguments: the chart's context, its values. */ -}}
{{- define "csi-sidecars.check.sections" -}}
{{- $all := index . 1 -}}
{{- if and $all.controller.enabled $all.node.enabled -}}
{{- $known := (index (include "csi-sidecars.programs" (index . 0) | fromYaml).programs "csi-sidecars").controllers -}}
{{- range $all.node.controllers -}}
{{- if and (has . $all.controller.controllers) (get $known . | default dict).elected -}}
{{- fail (printf "csi-sidecars.node.controllers: %s is in csi-sidecars.controller.controllers too: list it in one of them" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.check.replicas" -}}
{{- $replicas := int (.values.replicas | default 0) -}}
{{- $elected := list -}}
{{- range .controllers -}}{{- if (index $.known.controllers .).elected -}}{{- $elected = append $elected . -}}{{- end -}}{{- end -}}
{{- if and (gt $replicas 1) $elected (not .election.enabled) -}}
{{- fail (printf "%s.replicas: %d replicas need %s.leaderElection.enabled, because only one may run %s" .path $replicas .path (join ", " $elected)) -}}
{{- end -}}
{{- with .values.podDisruptionBudget -}}
{{- $least := .minAvailable -}}
{{- $most := .maxUnavailable -}}
{{- if and .enabled (not (kindIs "invalid" $least)) (not (kindIs "invalid" $most)) -}}
{{- fail (printf "%s.podDisruptionBudget: set minAvailable or maxUnavailable, not both" $.path) -}}
{{- end -}}
{{- if and .enabled (gt $replicas 1) (or (eq (toString $most) "0") (eq (toString $most) "0%") (eq (toString $least) "100%")) -}}
{{- fail (printf "%s.podDisruptionBudget: no node could be drained: allow one replica to be away" $.path) -}}
{{- end -}}
{{- if and .enabled (gt $replicas 1) (not (kindIs "string" $least)) (ge (int $least) $replicas) -}}
{{- fail (printf "%s.podDisruptionBudget.minAvailable: no node could be drained: use less than the %d replicas" $.path $replicas) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "csi-sidecars.check.flags" -}}
{{- $election := printf "%s.leaderElection" .path -}}
{{- $reserved := merge (dict "http-endpoint" (printf "%s.port" .path) "metrics-address" (printf "%s.port" .path) "feature-gates" (printf "%s.featureGates" .path) "leader-election" $election "leader-election-namespace" $election) .reserved -}}
{{- range $name, $value := .values.flags -}}
{{- $where := printf "%s.flags.%s" $.path $name -}}
{{- if hasPrefix "-" $name -}}
{{- fail (printf "%s: write the name without dashes" $where) -}}
{{- end -}}
{{- if hasKey $reserved $name -}}
{{- fail (printf "%s: set %s instead" $where (get $reserved $name)) -}}
{{- end -}}
{{- if not (has $name $.known.flags) -}}
{{- fail (printf "%s: %s has no such flag, see docs/flags.md" $where $.program) -}}
{{- end -}}
{{- if or (kindIs "map" $value) (kindIs "slice" $value) -}}
{{- fail (printf "%s: needs a text, a number or a boolean" $where) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .values.featureGates -}}
{{- if not (or (hasKey $.known.gates $name) (has $name (list "AllAlpha" "AllBeta"))) -}}
{{- fail (printf "%s.featureGates.%s: %s has no such feature gate: use %s" $.path $name $.program (keys $.known.gates | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* On the host's network two pods of one node cannot have one port. */ -}}
{{- define "csi-sidecars.check.ports" -}}
{{- $apart := false -}}
{{- range $label, $value := .controller.nodeSelector -}}
{{- if ne $value (get $.node.nodeSelector $label | default $value) -}}{{- $apart = true -}}{{- end -}}
{{- end -}}
{{- if and .controller.enabled .node.enabled .controller.hostNetwork .node.hostNetwork (not $apart) (eq (int .controller.port) (int .node.port)) -}}
{{- fail (printf "csi-sidecars.controller.port: %d is csi-sidecars.node.port too, and both pods may be on the network of one node" (int .node.port)) -}}
{{- end -}}
{{- end -}}
