/** One measured number. */
export interface Result {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The number to reach, and from which side. */
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number };
  /** The single measurements, where `value` is their median. */
  readonly samples?: readonly number[];
}

/** Whether the budget is kept; `undefined` without one. */
export function isMet({ value, budget }: Result): boolean | undefined {
  if (!budget) return undefined;
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of repeated measurements as a result. */
export function medianResult(what: string, unit: string, samples: readonly number[], budget?: Result["budget"]): Result {
  return { what, value: median(samples), unit, samples, ...(budget && { budget }) };
}

export type Budget = NonNullable<Result["budget"]>;

/** The samples of one quantity as a result; empty where nothing was measured. */
export type Column = <T>(samples: readonly T[], what: string, unit: string, value: (sample: T) => number, budget?: Budget) => Result[];

/** The columns of one subject. Budgets apply to our programs, not to peers. */
export function columnOf(ours: boolean): Column {
  return (samples, what, unit, value, budget) =>
    samples.length === 0 ? [] : [medianResult(what, unit, samples.map(value), ours ? budget : undefined)];
}

export const megabytes = (bytes: number): number => bytes / 1e6;
export const thousands = (count: number): string => count.toLocaleString("en-US");
export const atMost = (limit: number): Budget => ({ atMost: limit });
export const atLeast = (limit: number): Budget => ({ atLeast: limit });
