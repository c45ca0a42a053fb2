import type { Resource } from "@csi-sidecars/kube";
import type { FieldError } from "./field-error.ts";
import type { JsonObject } from "./json.ts";
import type { User } from "./rbac/authorize.ts";

/** What the rules need to know of a served kind. Every `Resource` of the client library is one. */
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

/** What the rules read besides the object itself. */
export interface AdmissionContext {
  /** A stored object by its group resource (`storageclasses.storage.k8s.io`). */
  get(groupResource: string, namespace: string | undefined, name: string): JsonObject | undefined;
  list(groupResource: string): readonly JsonObject[];
  readonly user: User;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Subresource = "status" | undefined;

/**
 * The rules of one kind, in the order in which the server applies them: `defaults` on every write, then whether the user may write this
 * (`guard`), then `create` or `update` to set what the server owns, then validation, and last the admission that may refuse with a 403.
 */
export interface KindRules {
  readonly validateName?: (name: string) => readonly string[];
  readonly defaults?: (object: JsonObject, kind: ServedKind) => JsonObject;
  readonly guard?: (object: JsonObject, old: JsonObject | undefined, context: AdmissionContext) => void;
  readonly create?: (object: JsonObject, context: AdmissionContext) => JsonObject;
  readonly update?: (old: JsonObject, object: JsonObject, context: AdmissionContext) => JsonObject;
  readonly validate?: (object: JsonObject, old?: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (old: JsonObject, object: JsonObject, subresource: Subresource) => readonly FieldError[];
  readonly admitUpdate?: (old: JsonObject, object: JsonObject, context: AdmissionContext) => void;
  readonly admitDelete?: (object: JsonObject, context: AdmissionContext) => JsonObject;
}
