import type { InTreePlugin } from "./in-tree-plugin.ts";

/** On a volume: the secret that its calls are made with. */
export const portworxSecretName = "openstorage.io/auth-secret-name";
export const portworxSecretNamespace = "openstorage.io/auth-secret-namespace";

export const portworxVolume: InTreePlugin = {
  driver: "pxd.portworx.com",
  translate({ metadata, spec }) {
    const disk = spec?.portworxVolume;
    if (!disk) return undefined;
    const name = metadata.annotations?.[portworxSecretName];
    const namespace = metadata.annotations?.[portworxSecretNamespace];
    const secret = name !== undefined && namespace !== undefined ? { controllerPublishSecretRef: { name, namespace } } : {};
    return { value: { csi: { volumeHandle: disk.volumeID, fsType: disk.fsType, volumeAttributes: {}, ...secret } } };
  },
};
