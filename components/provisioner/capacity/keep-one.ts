import type { CapacityObject } from "./capacity-object.ts";

/** Which of a pair's objects stays, the oldest; the others are surplus. The same choice in every process. */
export function keepOne(objects: readonly CapacityObject[]): {
  readonly kept: CapacityObject | undefined;
  readonly surplus: readonly CapacityObject[];
} {
  const [kept, ...surplus] = [...objects].sort((a, b) => (age(a) < age(b) ? -1 : 1));
  return { kept, surplus };
}

function age({ metadata }: CapacityObject): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}
