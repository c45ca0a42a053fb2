import type { InTreePlugin } from "./in-tree-plugin.ts";

/** On a volume: the resource group of its share, where it is not the cluster's. */
export const azureFileResourceGroup = "kubernetes.io/azure-file-resource-group";

export const azureFile: InTreePlugin = {
  driver: "file.csi.azure.com",
  translate({ metadata, spec }) {
    const share = spec?.azureFile;
    if (!share) return undefined;
    const namespace = share.secretNamespace || spec.claimRef?.namespace;
    if (!namespace) return { error: "could not find a secret namespace in PersistentVolumeSource or ClaimRef" };
    const group = metadata.annotations?.[azureFileResourceGroup] ?? "";
    const account = /azure-storage-account-(.+)-secret/.exec(share.secretName)?.[1] ?? share.secretName;
    return {
      value: {
        csi: {
          volumeHandle: [group, account, share.shareName, metadata.name, namespace].join("#"),
          readOnly: share.readOnly,
          volumeAttributes: { sharename: share.shareName },
        },
      },
    };
  },
};
