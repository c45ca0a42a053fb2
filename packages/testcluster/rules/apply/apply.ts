import { StatusError } from "@csi-sidecars/kube";
import { at, isObject, type JsonObject } from "../json.ts";
import {
  common,
  type FieldSet,
  fieldSet,
  fieldsV1,
  isNothing,
  type Manager,
  managersOf,
  minus,
  nothing,
  placesIn,
  sameManager,
  union,
} from "./managed-fields.ts";
import type { MergeShape } from "./merge-shape.ts";
import { changedFields, fieldsOf, merged, removedFields, without } from "./typed-fields.ts";

/** Who writes, and when. */
export type Writing = Pick<Manager, "name" | "apiVersion" | "subresource" | "time">;

/** The outcome of an apply. */
interface Applied {
  readonly object: JsonObject;
  readonly managers: readonly Manager[];
}

/**
 * Server-side apply: merges the configuration into the live object, removes what its manager applied before and nobody else owns, and
 * refuses, unless forced, to change what others own.
 */
export function applied(live: JsonObject, config: JsonObject, shape: MergeShape, by: Writing, force: boolean): Applied {
  const known = managersOf(live);
  const me = { ...by, operation: "Apply" } as const;
  const before = known.find((manager) => sameManager(manager, me))?.fields ?? nothing;
  const others = known.length > 0 ? known.filter((manager) => !sameManager(manager, me)) : [beforeFirstApply(live, shape, by)];
  const fields = fieldsOfConfiguration(config, shape);
  const held = others.reduce((sum, manager) => union(sum, manager.fields), nothing);

  const laidOver = merged(live, config, shape);
  const changed = owned(changedFields(live, laidOver, shape));
  if (!force) refuseConflicts(others, changed);
  const rest = without(laidOver, minus(minus(before, fields), held), union(held, fields), shape);
  const losing = others.map((manager) => ({ ...manager, fields: minus(manager.fields, changed) }));
  const time = sameSet(before, fields) ? (known.find((manager) => sameManager(manager, me))?.time ?? by.time) : by.time;
  return { object: isObject(rest) ? rest : {}, managers: [...losing, { ...me, time, fields }] };
}

/** The fields that a configuration sets for its manager. */
export const fieldsOfConfiguration = (config: JsonObject, shape: MergeShape): FieldSet => owned(fieldsOf(config, shape));

/** The managers after any other write: changed fields belong to its manager. */
export function managersAfter(before: JsonObject, after: JsonObject, shape: MergeShape, by: Writing): readonly Manager[] {
  const me = { ...by, operation: "Update" } as const;
  const known = managersOf(before);
  const changed = owned(changedFields(before, after, shape));
  const gone = owned(removedFields(before, after, shape));
  if (isNothing(changed) && isNothing(gone)) return known;
  const mine = known.find((manager) => sameManager(manager, me))?.fields ?? nothing;
  const losing = known
    .filter((manager) => !sameManager(manager, me))
    .map((manager) => ({ ...manager, fields: minus(minus(manager.fields, changed), gone) }));
  return [...losing, { ...me, fields: minus(union(mine, changed), gone) }];
}

/** The owner of fields that were written before the first apply. */
function beforeFirstApply(live: JsonObject, shape: MergeShape, { apiVersion, time }: Writing): Manager {
  const empty = { metadata: {}, spec: {}, status: {} };
  const fields = owned(changedFields(empty, live, shape));
  return { name: "before-first-apply", operation: "Update", apiVersion, subresource: "", time, fields };
}

/** Fields of every object that no manager owns. */
const unowned = ["name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion"];

function owned(set: FieldSet): FieldSet {
  const members = [...set.members].filter(([name]) => name !== "f:apiVersion" && name !== "f:kind");
  return fieldSet(
    set.own,
    members.map(([name, member]) => {
      if (name !== "f:metadata") return [name, member];
      return [
        name,
        fieldSet(
          false,
          [...member.members].filter(([field]) => !unowned.includes(field.slice(2))),
        ),
      ];
    }),
  );
}

const sameSet = (a: FieldSet, b: FieldSet): boolean => JSON.stringify(fieldsV1(a)) === JSON.stringify(fieldsV1(b));

function refuseConflicts(others: readonly Manager[], changed: FieldSet): void {
  const conflicts = others.flatMap((manager) => {
    const places = placesIn(common(manager.fields, changed));
    const using = manager.operation === "Update" ? ` using ${manager.apiVersion}` : "";
    return places.length === 0 ? [] : [{ who: `${JSON.stringify(manager.name)}${using}`, places }];
  });
  const count = conflicts.reduce((sum, { places }) => sum + places.length, 0);
  if (count === 0) return;
  const texts = conflicts.map(({ who, places }) =>
    places.length === 1
      ? `conflict with ${who}: ${places[0]}`
      : `conflicts with ${who}:\n${places.map((place) => `- ${place}`).join("\n")}`,
  );
  throw new StatusError({
    status: "Failure",
    message: `Apply failed with ${count} conflict${count === 1 ? "" : "s"}: ${texts.join("\n")}`,
    reason: "Conflict",
    details: {
      causes: conflicts.flatMap(({ who, places }) =>
        places.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
      ),
    },
    code: 409,
  });
}

/** Whether an object has managed fields: since its first apply. */
export const hasManagers = (object: JsonObject): boolean => at(object, "metadata", "managedFields") !== undefined;
