import { medianResult, type Result } from "./result.ts";

export type Budget = NonNullable<Result["budget"]>;

/** The samples of one quantity as a result; none where nothing was measured. */
export type Column = <T>(samples: readonly T[], what: string, unit: string, value: (sample: T) => number, budget?: Budget) => Result[];

/** Columns of one subject. Budgets are for ours to keep, not for peers. */
export function columnOf(ours: boolean): Column {
  return (samples, what, unit, value, budget) =>
    samples.length === 0 ? [] : [medianResult(what, unit, samples.map(value), ours ? budget : undefined)];
}

export const megabytes = (bytes: number): number => bytes / 1e6;
export const thousands = (count: number): string => count.toLocaleString("en-US");
export const atMost = (limit: number): Budget => ({ atMost: limit });
export const atLeast = (limit: number): Budget => ({ atLeast: limit });
