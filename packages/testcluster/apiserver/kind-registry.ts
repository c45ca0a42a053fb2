import { ownValue } from "@csi-sidecars/base";
import { apiVersionOfKind, type Kind } from "../kinds/kind.ts";
import { objectMetaName, PublishedFields, publishedSchemas, schemaNameOf } from "../kinds/schemas.ts";
import { type MergeShape, MergeShapes } from "../rules/apply/merge-shape.ts";
import { fieldsOfDefinition, type KnownFields } from "../rules/fields/known-fields.ts";

/** The kinds that are served: the built-in ones and those of CustomResourceDefinitions. */
export class KindRegistry {
  readonly #byPath = new Map<string, Kind>();
  readonly #custom = new Map<string, readonly Kind[]>();
  readonly #fields = new PublishedFields();
  readonly #shapes = new MergeShapes((name) => ownValue(publishedSchemas(), name));

  constructor(builtIn: readonly Kind[]) {
    for (const kind of builtIn) {
      this.#byPath.set(pathOf(kind), this.#withSchema(kind));
    }
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The kind of a manifest. */
  named(apiVersion: string, kind: string): Kind | undefined {
    return this.all().find((candidate) => candidate.kind === kind && apiVersionOfKind(candidate) === apiVersion);
  }

  all(): readonly Kind[] {
    return [...this.#byPath.values()];
  }

  /** Serves exactly these kinds for a definition, whatever it had before. */
  define(definition: string, kinds: readonly Kind[]): void {
    for (const kind of this.#custom.get(definition) ?? []) this.#byPath.delete(pathOf(kind));
    for (const kind of kinds) this.#byPath.set(pathOf(kind), this.#withSchema(kind));
    this.#custom.set(definition, kinds);
  }

  /** What follows from the schema of a kind is computed when it is first needed. */
  #withSchema(kind: Kind): Kind {
    return { ...kind, knownFields: once(() => this.#fieldsOf(kind)), mergeShape: once(() => this.#shapeOf(kind)) };
  }

  #shapeOf(kind: Kind): MergeShape {
    if (!kind.schema) return this.#shapes.named(schemaNameOf(kind) ?? "");
    const { properties, ...rest } = kind.schema;
    const metadata = { $ref: objectMetaName };
    return this.#shapes.of({ ...rest, properties: { ...properties, apiVersion: {}, kind: {}, metadata } });
  }

  #fieldsOf(kind: Kind): KnownFields | undefined {
    const metadata = this.#fields.of(objectMetaName);
    if (kind.schema) return metadata && fieldsOfDefinition(kind.schema, metadata);
    const name = schemaNameOf(kind);
    return name === undefined ? undefined : this.#fields.of(name);
  }
}

/** A function that does its work at the first call. */
function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

const pathOf = (kind: Kind): string => `${kind.group}/${kind.version}/${kind.plural}`;
