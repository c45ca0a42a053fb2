import { seededRandom } from "@csi-sidecars/base/testing";
import { changesSomething, type Method } from "./methods.ts";
import type { PlayedStep } from "./step.ts";

/** Random faults of calls that no script covers; the same seed repeats them. */
export interface RandomFaults {
  readonly seed: number;
  /** The response to every nth call is lost after the work was done. */
  readonly loseEvery?: number;
  /** The share of calls, 0 to 1, whose response is lost after the work was done. */
  readonly loseShare?: number;
  /** Every call is delayed by a random time between these. */
  readonly delayMs?: readonly [least: number, most: number];
  /** Every nth call is delayed by `slowMs` instead. */
  readonly slowEvery?: number;
  readonly slowMs?: number;
  /** The methods that may fail; all that change something unless given. */
  readonly methods?: readonly Method[];
}

/** The step of the next call of a method. */
export function randomFaults(faults: RandomFaults): (method: Method) => PlayedStep {
  const { seed, loseEvery, loseShare = 0, delayMs, slowEvery, slowMs = 0, methods } = faults;
  const random = seededRandom(seed);
  let calls = 0;
  return (method) => {
    if (!(methods?.includes(method) ?? changesSomething(method))) return { kind: "act" };
    calls++;
    const unlucky = random() < loseShare;
    const last: PlayedStep =
      unlucky || (loseEvery !== undefined && calls % loseEvery === 0) ? { kind: "lose", effect: true } : { kind: "act" };
    if (slowEvery !== undefined && calls % slowEvery === 0) return { kind: "delay", until: { ms: slowMs }, next: last };
    if (!delayMs) return last;
    const [least, most] = delayMs;
    return { kind: "delay", until: { ms: least + random() * (most - least) }, next: last };
  };
}
