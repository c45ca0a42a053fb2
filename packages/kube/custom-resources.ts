import type { KubeObject } from "./object.ts";
import { resource } from "./resource.ts";

// Kinds whose CustomResourceDefinitions may not be installed.

/** Allows objects of other namespaces to refer to objects in its namespace. */
export interface V1beta1ReferenceGrant extends KubeObject {
  spec?: {
    from?: { group: string; kind: string; namespace: string }[];
    to?: { group: string; kind: string; name?: string }[];
  };
}

/** Declares a kind as a data source that a volume populator handles. */
export interface V1beta1VolumePopulator extends KubeObject {
  sourceKind?: { group?: string; kind?: string };
}

export const ReferenceGrant = resource<V1beta1ReferenceGrant>("gateway.networking.k8s.io/v1beta1", "referencegrants", "ReferenceGrant", {
  namespaced: true,
});

export const VolumePopulator = resource<V1beta1VolumePopulator>("populator.storage.k8s.io/v1beta1", "volumepopulators", "VolumePopulator", {
  namespaced: false,
});
