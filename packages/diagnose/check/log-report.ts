import type { Logger } from "@csi-sidecars/base";
import type { Row } from "./compatibility.ts";

/** The report as lines of a log at start-up: what is missing always, what is there for the curious. */
export function logReport(rows: readonly Row[], log: Logger): void {
  for (const { severity, area, who, message, remedy } of rows) {
    const fields = { area, ...(who && { controller: who }), ...(remedy && { remedy }) };
    if (severity === "error") log.error(undefined, `Compatibility: ${message}`, fields);
    else if (severity === "warning") log.info(`Warning: compatibility: ${message}`, fields);
    else log.v(2).info(`Compatibility: ${message}`, fields);
  }
}
