import type { User } from "../authorize.ts";
import type { FieldError } from "../field-error.ts";
import type { JsonObject } from "../json.ts";
import type { ServedKind } from "../kind.ts";

/** What the rules may look at besides the object itself. */
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
 * What is particular to one kind, in the order in which the server asks: `defaults` on every write, then whether its writer may write just
 * that (`guard`), then `create` or `update` to fill in what the server owns, then validation, and last the admission that may refuse with a 403.
 */
export interface KindRules {
  readonly nameFaults?: (name: string) => readonly string[];
  readonly defaults?: (object: JsonObject, kind: ServedKind) => JsonObject;
  readonly guard?: (object: JsonObject, old: JsonObject | undefined, context: AdmissionContext) => void;
  readonly create?: (object: JsonObject, context: AdmissionContext) => JsonObject;
  readonly update?: (old: JsonObject, object: JsonObject, context: AdmissionContext) => JsonObject;
  readonly validate?: (object: JsonObject, old?: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (old: JsonObject, object: JsonObject, subresource: Subresource) => readonly FieldError[];
  readonly admitUpdate?: (old: JsonObject, object: JsonObject, context: AdmissionContext) => void;
  readonly admitDelete?: (object: JsonObject, context: AdmissionContext) => JsonObject;
}

/** A time as metav1.Time writes it: whole seconds. */
export const secondsOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
