import type { FlagValues, RbacRules } from "@csi-sidecars/host";
import type { resizerFlags } from "./flags.ts";

const read = ["get", "list", "watch"];

/** Upstream's rules, without those that flags and gates make unnecessary. Claims are patched through their status only. */
export function resizerRules(flags: Pick<FlagValues<typeof resizerFlags>, "handleVolumeInuseError">): RbacRules {
  const pods = { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"], because: "to retry when a volume is no longer in use" };
  return {
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: [...read, "patch"] },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: read },
      { apiGroups: [""], resources: ["persistentvolumeclaims/status"], verbs: ["patch"] },
      ...(flags.handleVolumeInuseError ? [pods] : []),
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      {
        apiGroups: ["storage.k8s.io"],
        resources: ["volumeattributesclasses"],
        verbs: read,
        because: "for drivers that modify volumes",
        gate: "VolumeAttributesClass",
      },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], because: "for volumes that name a secret for expanding or modifying" },
    ],
    namespaced: [],
  };
}
