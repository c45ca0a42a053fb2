import type { Kind } from "../../kinds/kind.ts";
import { arrayAt, type JsonObject, stringAt } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import type { Revision } from "../store/revision.ts";
import { tableOf, type World } from "./world.ts";

/** A stored object, with its kind. */
export interface Stored {
  readonly kind: Kind;
  readonly revision: Revision;
}

/** The uids of the objects that an object belongs to. */
export const ownersOf = (object: JsonObject): readonly string[] =>
  arrayAt(object, "metadata", "ownerReferences").map((reference) => stringAt(reference, "uid"));

/** All objects that belong to the one with the uid. */
export const dependentsOf = (world: World, uid: string): readonly Stored[] => stored(world, (object) => ownersOf(object).includes(uid));

/** The objects that are there of those with the uids. */
export const presentOf = (world: World, uids: readonly string[]): readonly Stored[] =>
  uids.length === 0 ? [] : stored(world, (object) => uids.includes(stringAt(object, "metadata", "uid")));

function stored(world: World, wanted: (object: JsonObject) => boolean): readonly Stored[] {
  const kinds = world.kinds.all().filter((kind) => kind.viewOf === undefined);
  const oneForEachTable = new Map(kinds.map((kind) => [groupResource(kind), kind])).values();
  return [...oneForEachTable].flatMap((kind) =>
    [...tableOf(world, kind).values()].filter(({ object }) => wanted(object)).map((revision) => ({ kind, revision })),
  );
}
