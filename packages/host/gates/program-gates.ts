import { componentsOf, type Program } from "../flags/program.ts";
import { type GateTable, joinGates } from "./gates.ts";
import { allInOneGates, individualGates } from "./standard-gates.ts";

/** All gates a program knows: its own and those of every component it can run, enabled or not. */
export function gatesOf(program: Program): GateTable {
  const own = program.form === "all-in-one" ? allInOneGates : individualGates;
  return joinGates([own, ...componentsOf(program).map(({ gates }) => gates ?? {})]);
}
