/** The annotations and finalizers by which the parts of a cluster tell each other how far they are. */
export const annotation = {
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  selectedNode: "volume.kubernetes.io/selected-node",
  betaClass: "volume.beta.kubernetes.io/storage-class",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
  betaDefaultClass: "storageclass.beta.kubernetes.io/is-default-class",
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  migratedTo: "pv.kubernetes.io/migrated-to",
} as const;

export const finalizer = {
  claimProtection: "kubernetes.io/pvc-protection",
  volumeProtection: "kubernetes.io/pv-protection",
  cloning: "provisioner.storage.kubernetes.io/cloning-protection",
  inProgress: "provisioner.storage.kubernetes.io/provisioning-in-progress",
  provisioner: "external-provisioner.volume.kubernetes.io/finalizer",
  attacherPrefix: "external-attacher/",
} as const;

/** What a class has in place of a driver when its volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** `undefined`: the claim leaves the choice to the cluster. Empty: it wants a volume without class. */
export function classNameOf(object: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly storageClassName?: string };
}): string | undefined {
  return object.metadata?.annotations?.[annotation.betaClass] ?? object.spec?.storageClassName;
}
