import type { MergeShape } from "../rules/apply/merge-shape.ts";
import type { Schema } from "../rules/crd/structural-schema.ts";
import type { KnownFields } from "../rules/fields/known-fields.ts";
import type { JsonObject } from "../rules/json.ts";
import type { ServedKind } from "../rules/kind.ts";

/** What the embedded server needs to know of a kind to serve it: names for discovery, and how it is stored. */
export interface Kind extends ServedKind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The first `metadata.generation` of kinds in which a changed `spec` counts it up; the other kinds keep what the client wrote. */
  readonly generation: 0 | 1 | undefined;
  /** PUT of an absent object creates it. */
  readonly createOnUpdate: boolean;
  /** A PUT without `resourceVersion` overwrites whatever is there; the other kinds insist on one. */
  readonly unconditionalUpdate: boolean;
  /** A create keeps the `status` it came with, as nodes register themselves. */
  readonly statusOnCreate: boolean;
  /** A write to the status subresource may also change labels, annotations and finalizers. */
  readonly metadataWithStatus: boolean;
  /** A delete that removes the object at once is answered with the object instead of a Status. */
  readonly answersDeleted: boolean;
  /** Cannot be deleted as a whole collection. */
  readonly deletesOneByOne: boolean;
  /** Has a `scale` subresource, through which only `spec.replicas` is written. */
  readonly scalable: boolean;
  /** Has a `binding` subresource, through which a scheduler gives an object its node. */
  readonly bindable: boolean;
  /** Has a `token` subresource, through which a service account gets a bearer token. */
  readonly issuesTokens: boolean;
  /** Where it is not the kind with "List" after it. */
  readonly listKind?: string;
  /** A warning for clients of an outdated version. */
  readonly deprecation?: string;
  /** `additionalPrinterColumns` of its definition. */
  readonly printerColumns?: readonly JsonObject[];
  /** The schema in its definition, for custom kinds. */
  readonly schema?: Schema;
  /** That of the version in which objects are stored, where it differs. */
  readonly storageSchema?: Schema;
  /** The fields that objects may have; everything else is dropped when they are written. */
  readonly knownFields?: () => KnownFields | undefined;
  /** How fields are owned and merged when objects are applied. */
  readonly mergeShape?: () => MergeShape;
  /** A second view of another kind's objects (events.k8s.io): the group resource that holds them. */
  readonly viewOf?: string;
}

/** The defaults of a kind. */
export type KindFacts = Pick<Kind, "kind" | "plural" | "namespaced"> & Partial<Kind>;

/** A kind of a group version with the defaults filled in. */
export function kindOf(group: string, version: string, facts: KindFacts): Kind {
  return {
    group,
    version,
    status: false,
    singular: facts.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    generation: undefined,
    answersDeleted: false,
    deletesOneByOne: false,
    createOnUpdate: false,
    unconditionalUpdate: true,
    statusOnCreate: false,
    metadataWithStatus: false,
    bindable: false,
    scalable: false,
    issuesTokens: false,
    ...facts,
  };
}

export function subresourcesOf(kind: Kind): readonly string[] {
  const named: readonly (readonly [has: boolean, name: string])[] = [
    [kind.bindable, "binding"],
    [kind.scalable, "scale"],
    [kind.status, "status"],
    [kind.issuesTokens, "token"],
  ];
  return named.flatMap(([has, name]) => (has ? [name] : []));
}

export const apiVersionOfKind = (kind: Kind): string => (kind.group ? `${kind.group}/${kind.version}` : kind.version);
