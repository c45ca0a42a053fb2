import { createHash } from "node:crypto";
import type { PairKey } from "./pair.ts";
import type { Marks } from "./plan-write.ts";

/**
 * The name of a pair's object. Being the same in every process and after every restart, it makes a second object for the pair impossible.
 * Where somebody else has the name, there is a next one. Upstream's objects have random names after the same `csisc-`; they are kept.
 */
export function objectName({ driver, managedBy }: Marks, key: PairKey, attempt: number): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([driver, managedBy, key, attempt]))
    .digest("hex");
  return `csisc-${digest.slice(0, 32)}`;
}
