import type { InTreePlugin } from "./in-tree-plugin.ts";

/** On a volume: the resource group of its share, where it is not the cluster's. */
export const azureFileResourceGroup = "kubernetes.io/azure-file-resource-group";

/** How the plugin named the secret of a storage account. */
const secretPrefix = "azure-storage-account-";
const secretSuffix = "-secret";

export const azureFile: InTreePlugin = {
  driver: "file.csi.azure.com",
  name: "kubernetes.io/azure-file",
  toCsi({ metadata, spec }) {
    const share = spec?.azureFile;
    if (!share) return undefined;
    const namespace = share.secretNamespace || spec.claimRef?.namespace;
    if (!namespace) return { error: "could not find a secret namespace in PersistentVolumeSource or ClaimRef" };
    const group = metadata.annotations?.[azureFileResourceGroup] ?? "";
    const account = accountOf(share.secretName);
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
  toInTree({ volumeHandle, readOnly, volumeAttributes = {}, nodeStageSecretRef }) {
    const attributes = Object.fromEntries(Object.entries(volumeAttributes).map(([key, value]) => [key.toLowerCase(), value]));
    const [group = "", account = "", share = "", , handleNamespace = ""] = volumeHandle.split("#");
    const shareName = attributes.sharename || share;
    const secretName = nodeStageSecretRef?.name || attributes.secretname || (account && `${secretPrefix}${account}${secretSuffix}`);
    if (!shareName || !secretName) return { error: `could not get share and account from volume handle ${volumeHandle}` };
    const secretNamespace = nodeStageSecretRef?.namespace || attributes.secretnamespace || handleNamespace || "default";
    const annotations: Record<string, string> = group === "" ? {} : { [azureFileResourceGroup]: group };
    return { value: { spec: { azureFile: { shareName, secretName, secretNamespace, readOnly } }, annotations } };
  },
};

/** `acc` of `azure-storage-account-acc-secret`; a secret of another name is taken as it is. */
function accountOf(secretName: string): string {
  const prefix = secretName.indexOf(secretPrefix);
  const [start, end] = [prefix + secretPrefix.length, secretName.lastIndexOf(secretSuffix)];
  return prefix >= 0 && start < end ? secretName.slice(start, end) : secretName;
}
