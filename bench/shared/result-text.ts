import type { Result } from "./result.ts";

/** The number with its unit. */
export function valueText({ value, unit }: Result): string {
  return `${rounded(value)} ${unit}`;
}

/** From the least to the greatest measurement; empty where there was only one. */
export function rangeText({ samples = [] }: Result): string {
  return samples.length > 1 ? `${rounded(Math.min(...samples))} – ${rounded(Math.max(...samples))}` : "";
}

/** What is to be reached; empty without a budget. */
export function budgetText({ budget, unit }: Result): string {
  if (!budget) return "";
  return "atMost" in budget ? `<= ${rounded(budget.atMost)} ${unit}` : `>= ${rounded(budget.atLeast)} ${unit}`;
}

function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
