/** The drivers that replaced an in-tree volume plugin: their metrics tell whether a call served a migrated volume. */
export const migrationTargets: ReadonlySet<string> = new Set([
  "pd.csi.storage.gke.io",
  "ebs.csi.aws.com",
  "cinder.csi.openstack.org",
  "disk.csi.azure.com",
  "file.csi.azure.com",
  "csi.vsphere.vmware.com",
  "pxd.portworx.com",
]);
