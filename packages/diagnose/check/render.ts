import type { Logger } from "@csi-sidecars/base";
import { alignColumns } from "../text.ts";
import { isComplete } from "./compatibility.ts";
import type { Findings } from "./findings.ts";
import type { Row } from "./row.ts";

/** For people. */
export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map(({ severity, area, who = "", message, remedy }) => [
    severity,
    area,
    who,
    remedy ? `${message} -> ${remedy}` : message,
  ]);
  return `${alignColumns([["RESULT", "AREA", "CONTROLLER", "FINDING"], ...cells]).join("\n")}\n`;
}

/** For programs. Fields may be added, never renamed. */
export function renderJson(findings: Findings, rows: readonly Row[]): string {
  const { program, server, driver, components } = findings;
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

/** The report as log lines at start-up: what is missing always, the rest at verbosity 2. */
export function logReport(rows: readonly Row[], log: Logger): void {
  for (const { severity, area, who, message, remedy } of rows) {
    const fields = { area, ...(who && { controller: who }), ...(remedy && { remedy }) };
    if (severity === "error") log.error(undefined, `Compatibility: ${message}`, fields);
    else if (severity === "warning") log.info(`Warning: compatibility: ${message}`, fields);
    else log.v(2).info(`Compatibility: ${message}`, fields);
  }
}
