/** The labels in which nodes and volumes say their zone, the older one last. */
export const zoneLabel = "topology.kubernetes.io/zone";
export const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";

/** The topology keys of the drivers whose volumes belong to zones. */
export const zoneKeys: Readonly<Record<string, string>> = {
  "pd.csi.storage.gke.io": "topology.gke.io/zone",
  "ebs.csi.aws.com": "topology.ebs.csi.aws.com/zone",
  "cinder.csi.openstack.org": "topology.cinder.csi.openstack.org/zone",
  "disk.csi.azure.com": "topology.disk.csi.azure.com/zone",
  "csi.vsphere.vmware.com": "topology.csi.vmware.com/zone",
};

/** The region of a zone, for the clouds where its name tells. */
export function regionOfZone(driver: string, zone: string): string | undefined {
  const parts = zone.split("-");
  if (driver === "pd.csi.storage.gke.io") return parts.length === 3 ? parts.slice(0, 2).join("-") : undefined;
  if (driver !== "ebs.csi.aws.com") return undefined;
  if (parts.length === 3 || parts.length === 4) return zone.slice(0, -1);
  return parts.length === 5 || parts.length === 7 ? parts.slice(0, 3).join("-") : undefined;
}
