import type { StartReport } from "@csi-sidecars/host";
import { compatibility } from "./compatibility.ts";
import { inspect } from "./findings.ts";
import { logReport } from "./render.ts";

/** Logs what a starting process lacks: permissions, APIs, a driver. All-in-one processes load it at start, individual programs never. */
export const startReport: StartReport = async ({ driver, ...surroundings }, log) => {
  try {
    const findings = await inspect({
      ...surroundings,
      ...(driver && { driver: { identity: { name: driver.name }, capabilities: driver.capabilities, kinds: driver.kinds } }),
    });
    if (!surroundings.signal.aborted) logReport(compatibility(findings), log);
  } catch (error) {
    log.error(error, "The compatibility check failed");
  }
};
