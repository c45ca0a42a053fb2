import { object, type Schema, text } from "./schema.ts";

/** A CustomResourceDefinition as the API server takes it. */
export type CustomResourceDefinition = {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: Scope;
    readonly versions: readonly CustomResourceVersion[];
  };
};

type Scope = "Namespaced" | "Cluster";

/** One version in a CustomResourceDefinition. */
export type CustomResourceVersion = Omit<Version, "schema"> & {
  readonly additionalPrinterColumns: readonly Column[];
  readonly schema: { readonly openAPIV3Schema: Schema };
  readonly subresources?: { readonly status: Readonly<Record<string, never>> };
};

/** A column of `kubectl get`. */
type Column = {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "date";
  readonly jsonPath: string;
};

/** What differs between the versions of a kind. */
export type Version = {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  /** In place of the API server's own text. */
  readonly deprecationWarning?: string;
  readonly schema: Schema;
};

interface DefinitionFacts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly scope: Scope;
  /** Whether `status` is a subresource. */
  readonly status: boolean;
  /** Where the API was approved: API servers ask for it in groups of `k8s.io`. */
  readonly approvedIn: string;
  readonly columns: readonly Column[];
  readonly versions: readonly Version[];
}

export function definition(facts: DefinitionFacts): CustomResourceDefinition {
  const { group, kind, plural, shortNames, scope, columns } = facts;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": facts.approvedIn } },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), ...(shortNames && { shortNames }) },
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

const types = {
  apiVersion: text("The group and version of the API in which this object is written, such as storage.k8s.io/v1."),
  kind: text("The kind of this object, in the singular and in CamelCase."),
};

/** The schema of a whole object. API servers describe metadata themselves, and accept no other description. */
export function resource(description: string, properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return object(description, { ...types, metadata: { type: "object" }, ...properties }, required);
}

/** The same for a version that does not mention metadata. */
export function bareResource(description: string, properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return object(description, { ...types, ...properties }, required);
}
