import { describe, expect, test } from "bun:test";
import { stopOrder } from "./stop-order.ts";

describe("stopOrder", () => {
  test.each<[string, Record<string, string[]>, string[]]>([
    ["nothing needs it", {}, ["A"]],
    ["a chain", { A: ["B"], B: ["C"] }, ["C", "B", "A"]],
    ["two that are independent", { A: ["B", "C"] }, ["B", "C", "A"]],
    ["a diamond: the common dependent is stopped first, once", { A: ["B", "C"], B: ["D"], C: ["D"] }, ["D", "B", "C", "A"]],
    ["a dependent that is also needed deeper down", { A: ["B", "C"], C: ["B"] }, ["B", "C", "A"]],
    ["found early, needs more later", { A: ["B", "C"], B: ["C"] }, ["C", "B", "A"]],
    ["names that differ in case", { A: ["b", "C"], C: ["B"] }, ["b", "C", "A"]],
    ["a circle ends", { A: ["B"], B: ["A"] }, ["B", "A"]],
  ])("%s", async (_, dependents, expected) => {
    expect(await stopOrder("A", async (name) => dependents[name] ?? [])).toEqual(expected);
  });
});
