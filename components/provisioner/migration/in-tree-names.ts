/** The drivers that replaced an in-tree plugin, and what that was called in classes and annotations. */
const inTreeNames: Readonly<Record<string, string>> = {
  "pd.csi.storage.gke.io": "kubernetes.io/gce-pd",
  "ebs.csi.aws.com": "kubernetes.io/aws-ebs",
  "cinder.csi.openstack.org": "kubernetes.io/cinder",
  "disk.csi.azure.com": "kubernetes.io/azure-disk",
  "file.csi.azure.com": "kubernetes.io/azure-file",
  "csi.vsphere.vmware.com": "kubernetes.io/vsphere-volume",
  "pxd.portworx.com": "kubernetes.io/portworx-volume",
};

export function inTreeNameOf(driver: string): string | undefined {
  return Object.hasOwn(inTreeNames, driver) ? inTreeNames[driver] : undefined;
}
