import type { Schema, ValidationRule } from "../crd/structural-schema.ts";
import type { JsonObject } from "../json.ts";

/** A column of `kubectl get`. */
export interface Column extends JsonObject {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "date";
  readonly jsonPath: string;
}

/** One version of a definition. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: Schema;
}

export interface DefinitionFacts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly status: boolean;
  /** The pull request in which the API was approved, asked for by the server for groups of `k8s.io`. */
  readonly approvedIn: number;
  readonly columns: readonly Column[];
  readonly versions: readonly Version[];
}

/** A CustomResourceDefinition as the API server takes it. */
export function definition(facts: DefinitionFacts): JsonObject {
  const { group, kind, plural, singular, shortNames, scope, columns } = facts;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": `https://github.com/kubernetes-csi/external-snapshotter/pull/${facts.approvedIn}` },
    },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames },
      scope,
      versions: facts.versions.map(({ schema, ...version }) => ({
        ...version,
        additionalPrinterColumns: columns,
        schema: { openAPIV3Schema: schema },
        ...(facts.status && { subresources: { status: {} } }),
      })),
    },
  };
}

export const column = (name: string, type: Column["type"], jsonPath: string): Column => ({ name, type, jsonPath });
export const age = column("Age", "date", ".metadata.creationTimestamp");

/** The snapshot group still lists v1beta1, which nobody can use any more. */
export function snapshotVersions(kind: string, v1: Schema, v1beta1: Schema): readonly Version[] {
  const group = "snapshot.storage.k8s.io";
  return [
    { name: "v1", served: true, storage: true, schema: v1 },
    {
      name: "v1beta1",
      served: false,
      storage: false,
      deprecated: true,
      deprecationWarning: `${group}/v1beta1 ${kind} is deprecated; use ${group}/v1 ${kind}`,
      schema: v1beta1,
    },
  ];
}

/** The group snapshot kinds: v1 and v1beta2 are the same, v1beta1 lacks some rules. */
export function groupVersions(current: Schema, v1beta1: Schema): readonly Version[] {
  return [
    { name: "v1", served: true, storage: false, schema: current },
    { name: "v1beta1", served: true, storage: false, deprecated: true, schema: v1beta1 },
    { name: "v1beta2", served: true, storage: true, schema: current },
  ];
}

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const dateTime: Schema = { type: "string", format: "date-time" };
export const int64: Schema = { type: "integer", format: "int64" };
export const deletionPolicy: Schema = { type: "string", enum: ["Delete", "Retain"] };
export const stringMap: Schema = { type: "object", additionalProperties: text };
export const problem = object({ message: text, time: dateTime });

export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** The schema of a whole object. */
export function resourceSchema(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return object({ apiVersion: text, kind: text, metadata: { type: "object" }, ...properties }, required);
}

export const ruled = (schema: Schema, ...rules: readonly ValidationRule[]): Schema => ({ ...schema, "x-kubernetes-validations": rules });

/** A value that cannot be replaced by another one. It may still be removed. */
export const immutable = (schema: Schema, message: string): Schema => ruled(schema, { rule: "self == oldSelf", message });

export const notEmpty = (message: string): Schema => ruled(text, { rule: "size(self) > 0", message });

/** A member that cannot be removed. */
export const requiredOnceSet = (member: string): ValidationRule => ({
  rule: `!has(oldSelf.${member}) || has(self.${member})`,
  message: `${member} is required once set`,
});

export const exactlyOne = (a: string, b: string): ValidationRule => ({
  rule: `(has(self.${a}) && !has(self.${b})) || (!has(self.${a}) && has(self.${b}))`,
  message: `exactly one of ${a} and ${b} must be set`,
});

/** A v1.ObjectReference. `namespace` is a reserved word of CEL and is written escaped in rules. */
export const objectReference: Schema & JsonObject = {
  ...object({ apiVersion: text, fieldPath: text, kind: text, name: text, namespace: text, resourceVersion: text, uid: text }),
  "x-kubernetes-map-type": "atomic",
};

export const namedReference = (message: string): ValidationRule => ({ rule: "has(self.name) && has(self.__namespace__)", message });
