/** The drivers that replaced in-tree plugins. */
export const drivers = {
  gce: "pd.csi.storage.gke.io",
  aws: "ebs.csi.aws.com",
  cinder: "cinder.csi.openstack.org",
  disk: "disk.csi.azure.com",
  file: "file.csi.azure.com",
  vsphere: "csi.vsphere.vmware.com",
  portworx: "pxd.portworx.com",
} as const;
