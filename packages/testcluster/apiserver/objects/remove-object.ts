import type { Kind } from "../../kinds/kind.ts";
import { finishNamespace } from "./namespace-lifecycle.ts";
import { tableOf, type World } from "./world.ts";

/** Takes an object out for good. The last one to leave a namespace that is being deleted takes it along. */
export function removeObject(world: World, kind: Kind, key: string): void {
  world.store.remove(tableOf(world, kind), key);
  const slash = key.indexOf("/");
  if (slash > 0) finishNamespace(world, key.slice(0, slash));
}
