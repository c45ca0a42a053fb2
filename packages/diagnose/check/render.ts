import { aligned } from "./aligned.ts";
import { isComplete, type Row } from "./compatibility.ts";
import type { Facts } from "./facts.ts";

/** For eyes. */
export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map(({ severity, area, who = "", message, remedy }) => [
    severity,
    area,
    who,
    remedy ? `${message} -> ${remedy}` : message,
  ]);
  return `${aligned([["RESULT", "AREA", "CONTROLLER", "FINDING"], ...cells]).join("\n")}\n`;
}

/** For programs. Fields may be added, never renamed. */
export function renderJson(facts: Facts, rows: readonly Row[]): string {
  const { program, server, driver, components } = facts;
  const report = {
    program: program.name,
    version: program.version,
    complete: isComplete(rows),
    ...(server?.known && { kubernetes: server.value }),
    ...(driver?.known && { driver: driver.value }),
    controllers: components,
    findings: rows,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
