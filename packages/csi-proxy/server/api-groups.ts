/**
 * Every group and version that the v1 server speaks, in the order in which it starts them. Released versions never change, and old
 * drivers still ask for all of them.
 */
export const apiGroups = [
  { group: "filesystem", service: "Filesystem", versions: ["v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"] },
  { group: "disk", service: "Disk", versions: ["v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1"] },
  { group: "volume", service: "Volume", versions: ["v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1", "v2alpha1"] },
  { group: "smb", service: "Smb", versions: ["v1alpha1", "v1beta1", "v1beta2", "v1"] },
  { group: "system", service: "System", versions: ["v1alpha1"] },
  { group: "iscsi", service: "Iscsi", versions: ["v1alpha1", "v1alpha2"] },
] as const;

type Entry = (typeof apiGroups)[number];

/** `disk`, `volume`, ... */
export type ApiGroupName = Entry["group"];

/** The versions of one group. */
export type VersionOf<G extends ApiGroupName> = Extract<Entry, { readonly group: G }>["versions"][number];

/** One group in one version: what gets a pipe of its own. */
export type GroupVersion = { readonly [G in ApiGroupName]: { readonly group: G; readonly version: VersionOf<G> } }[ApiGroupName];

/** All 23 of them, one after the other. */
export const groupVersions: readonly GroupVersion[] = apiGroups.flatMap(({ group, versions }) =>
  versions.map((version) => ({ group, version }) as GroupVersion),
);
