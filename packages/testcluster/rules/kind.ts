import type { Resource } from "@csi-sidecars/kube";
import type { KindRules } from "./admission/kind-rules.ts";

/** A kind as the API server serves it: what the rules need to know of it. Every `Resource` of the client library is one. */
export interface ServedKind extends Pick<Resource, "group" | "version" | "plural" | "kind" | "namespaced" | "status"> {
  /** Defined by a CustomResourceDefinition: no strategic merge patch, pruned and validated by its schema. */
  readonly custom?: boolean;
  /** JSON paths (`.spec.driver`) that field selectors on a custom kind may name. */
  readonly selectableFields?: readonly string[];
  /** The rules of a custom kind, made from its schema; built-in kinds have theirs by name. */
  readonly rules?: KindRules;
}

/** `csinodes.storage.k8s.io`: how messages about one object name its resource. */
export const groupResource = (kind: ServedKind): string => (kind.group ? `${kind.plural}.${kind.group}` : kind.plural);

/** `CSINode.storage.k8s.io`: how messages about an invalid object name its kind. */
export const qualifiedKind = (kind: ServedKind): string => (kind.group ? `${kind.kind}.${kind.group}` : kind.kind);
