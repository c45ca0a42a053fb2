import { type Component, component, loggingFlagNames, type RbacRules } from "@csi-sidecars/host";
import { conversionFlags, missingFiles, missingFlags, validationFlags, webhookFlags } from "./flags.ts";
import { admissionEndpoints, conversionEndpoints, serveWebhooks } from "./start.ts";

const everyReplica = { leadership: "none", driver: "none" } as const;
const read = ["get", "list", "watch"];

/** Upstream's conversion webhook: it needs its certificate, and nothing of the cluster. */
export const conversionWebhook: Component = component({
  ...everyReplica,
  name: "snapshot-conversion-webhook",
  standalone: "snapshot-conversion-webhook",
  kube: false,
  flags: conversionFlags,
  processFlags: ["automaxprocs", ...loggingFlagNames],
  validate: missingFiles,
  rbac: () => ({ cluster: [], namespaced: [] }),
  start: (context) => serveWebhooks(context, context.flags, conversionEndpoints(context.log)),
});

/** Upstream's validation webhook, which knows the classes of the cluster. */
export const validationWebhook: Component = component({
  ...everyReplica,
  name: "snapshot-validation-webhook",
  standalone: "snapshot-validation-webhook",
  kube: true,
  flags: validationFlags,
  processFlags: ["kubeconfig", "v", "vmodule"],
  validate: missingFlags,
  rbac: (flags) => classRules(flags.enableVolumeGroupSnapshotWebhook),
  start: (context) => {
    const { flags } = context;
    return serveWebhooks(context, flags, admissionEndpoints(context, flags.enableVolumeGroupSnapshotWebhook));
  },
});

/** Both webhooks in one process; `inCluster`: whether the API server can be asked for classes. Without it, only the conversion is served. */
export function snapshotWebhook(inCluster: boolean): Component {
  return component({
    ...everyReplica,
    name: "snapshot-webhook",
    standalone: "snapshot-webhook",
    kube: inCluster,
    flags: webhookFlags,
    processFlags: ["version", "kubeconfig", "http-endpoint", "metrics-path", "automaxprocs", ...loggingFlagNames],
    validate: missingFiles,
    rbac: (flags) => classRules(flags.enableVolumeGroupSnapshotWebhook),
    start: (context) => {
      const { flags, log } = context;
      const admission = inCluster ? admissionEndpoints(context, flags.enableVolumeGroupSnapshotWebhook) : [];
      return serveWebhooks(context, flags, [...conversionEndpoints(log), ...admission]);
    },
  });
}

function classRules(groups: boolean): RbacRules {
  const group = { apiGroups: ["groupsnapshot.storage.k8s.io"], resources: ["volumegroupsnapshotclasses"], verbs: read };
  return {
    cluster: [
      { apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshotclasses"], verbs: read },
      ...(groups ? [{ ...group, because: "--enable-volume-group-snapshot-webhook" }] : []),
    ],
    namespaced: [],
  };
}
