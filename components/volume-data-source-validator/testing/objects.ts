import type { V1beta1VolumePopulator, V1PersistentVolumeClaim } from "@csi-sidecars/kube";

type Source = NonNullable<NonNullable<V1PersistentVolumeClaim["spec"]>["dataSourceRef"]>;

export const inDefault = (name: string) => ({ namespace: "default", name });

/** Data sources, as a claim names them. */
export const book: Source = { apiGroup: "library.example.com", kind: "Book", name: "guide" };
export const unknown: Source = { apiGroup: "nobody.example.com", kind: "Riddle", name: "r" };
export const snapshot: Source = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "backup" };
export const otherClaim: Source = { kind: "PersistentVolumeClaim", name: "original" };

/** A claim that no driver provisions. */
export function claimOf(name: string, dataSourceRef?: Source): V1PersistentVolumeClaim {
  return {
    metadata: inDefault(name),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "slow",
      ...(dataSourceRef && { dataSourceRef }),
    },
  };
}

export function populatorOf(name: string, { apiGroup = "", kind }: Pick<Source, "apiGroup" | "kind">): V1beta1VolumePopulator {
  return { metadata: { name }, sourceKind: { group: apiGroup, kind } };
}
