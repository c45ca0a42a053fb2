import { fnv1 } from "./fnv.ts";

const digits = /^[0-9]+$/;
const uint32 = 2 ** 32;

/**
 * Which of `count` topologies a claim without a selected node prefers. The claims of a StatefulSet (`data-web-0`, `data-web-1`, ...) start at a
 * topology that depends on the set's name and go round; all claims of one pod (`data-web-1`, `log-web-1`) prefer the same one.
 */
export function spreadStart(claimName: string, count: number, random: () => number): number {
  if (claimName === "") return Math.floor(random() * count);
  const { hashed, index } = spreadKey(claimName);
  return ((fnv1(hashed) + index) % uint32) % count;
}

function spreadKey(claimName: string): { readonly hashed: string; readonly index: number } {
  const dash = claimName.lastIndexOf("-");
  const ordinal = claimName.slice(dash + 1);
  if (dash < 0 || !digits.test(ordinal) || Number(ordinal) >= uint32) return { hashed: claimName, index: 0 };
  const set = claimName.slice(0, dash);
  return { hashed: set.slice(set.lastIndexOf("-") + 1), index: Number(ordinal) };
}
