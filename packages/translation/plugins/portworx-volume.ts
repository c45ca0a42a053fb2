import { parameterPrefix } from "@csi-sidecars/kube";
import type { InTreePlugin, Parameters } from "./in-tree-plugin.ts";

/** On a volume: the secret that its calls are made with. */
export const portworxSecretName = "openstorage.io/auth-secret-name";
export const portworxSecretNamespace = "openstorage.io/auth-secret-namespace";

export const portworxVolume: InTreePlugin = {
  driver: "pxd.portworx.com",
  name: "kubernetes.io/portworx-volume",
  renamesClass: true,
  toCsi({ metadata, spec }) {
    const disk = spec?.portworxVolume;
    if (!disk) return undefined;
    const name = metadata.annotations?.[portworxSecretName];
    const namespace = metadata.annotations?.[portworxSecretNamespace];
    const secret = name !== undefined && namespace !== undefined ? { name, namespace } : undefined;
    const secrets = secret ? { controllerPublishSecretRef: secret, controllerExpandSecretRef: secret } : {};
    return { value: { csi: { volumeHandle: disk.volumeID, fsType: disk.fsType, volumeAttributes: {}, ...secrets } } };
  },
  toInTree: ({ volumeHandle: volumeID, fsType, readOnly }) => ({ value: { spec: { portworxVolume: { volumeID, fsType, readOnly } } } }),
  parameters: (parameters) => ({ parameters: withSecretForEverything(parameters) }),
};

const purposes = ["provisioner", "controller-publish", "node-publish", "node-stage", "controller-expand", "node-expand"];

/** The plugin had one secret, the driver has one for each purpose. */
function withSecretForEverything(parameters: Parameters): Parameters {
  const entries = Object.entries(parameters).flatMap(([key, value]) => {
    const part = /^openstorage\.io\/auth-secret-(name|namespace)$/i.exec(key)?.[1]?.toLowerCase();
    return part ? purposes.map((purpose) => [`${parameterPrefix}${purpose}-secret-${part}`, value]) : [[key, value]];
  });
  return Object.fromEntries(entries);
}
