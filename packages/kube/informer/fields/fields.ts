import type { KubeObject, ObjectMeta } from "../../object.ts";
import type { Resource } from "../../resource.ts";
import { type FieldTree, fieldTree } from "./field-tree.ts";

/** What is cached of every object, declared or not. */
export interface ObjectIdentity {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The least a cached object is: stores, indexes and handlers are generic over it. */
export interface Cached {
  readonly metadata: ObjectIdentity;
}

/**
 * Which parts of a `T` a reader needs: `true` for all of a value, an object for some of its fields, a list of keys for some
 * entries of a map (annotations, labels), and a one-element list for some fields of every element of an array.
 */
export type FieldSpec<T> =
  | true
  | (T extends readonly (infer E)[]
      ? E extends object
        ? readonly [FieldSpec<E>]
        : never
      : T extends object
        ? string extends keyof T
          ? readonly string[]
          : { readonly [K in keyof T]?: FieldSpec<NonNullable<T[K]>> }
        : never);

export type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A `T` reduced to what the spec `S` declares: reading anything else does not compile. */
export type Projected<T, S> = undefined extends T ? ProjectedValue<NonNullable<T>, S> | undefined : ProjectedValue<T, S>;

type ProjectedValue<T, S> = S extends true
  ? DeepReadonly<T>
  : T extends readonly (infer E)[]
    ? S extends readonly [infer F]
      ? readonly Projected<E, F>[]
      : never
    : S extends readonly (infer K extends string)[]
      ? { readonly [P in K]?: T[keyof T] }
      : T extends object
        ? { readonly [K in keyof T as K extends keyof S ? K : never]: K extends keyof S ? Projected<T[K], S[K]> : never }
        : T;

type Body<T> = Omit<T, "apiVersion" | "kind" | "metadata">;
type FreeMeta = Omit<ObjectMeta, keyof ObjectIdentity | "managedFields">;

/** The object specs are written against: `metadata` without what is always or never cached. */
export type Selectable<T> = Body<T> & { metadata?: FreeMeta };

type MetaOf<S> = S extends true ? DeepReadonly<FreeMeta> : S extends { readonly metadata: infer M } ? Projected<FreeMeta, M> : unknown;

/** The type of the objects a cache holds for the spec `S`. */
export type CachedObject<T, S> = { readonly metadata: ObjectIdentity & MetaOf<S> } & Projected<Body<T>, S>;

/** The fields a reader declared of a kind, as a value for `informers.forFields`. `P` is the type of the cached objects. */
export interface FieldSet<T extends KubeObject = KubeObject, P extends Cached = Cached> {
  readonly resource: Resource<T>;
  readonly tree: FieldTree;
  /** Carries the type of the cached objects; never set. */
  readonly cached?: P;
}

/** The type a reader gets: `type Attachment = CachedOf<typeof attachmentFields>`. */
export type CachedOf<F extends FieldSet> = NonNullable<F["cached"]>;

/**
 * Declares what a reader needs of a kind, and therefore all that is cached for it. Name, namespace, uid and resourceVersion are
 * always cached, managedFields never.
 *
 * ```ts
 * const podFields = fields(Pod, { metadata: { annotations: [owner] }, spec: { volumes: [{ persistentVolumeClaim: true }] } });
 * ```
 */
export function fields<T extends KubeObject, const S extends FieldSpec<Selectable<T>>>(
  resource: Resource<T>,
  spec: S,
): FieldSet<T, CachedObject<T, S>> {
  return { resource, tree: fieldTree(spec) };
}
