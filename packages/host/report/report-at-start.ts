import type { Logger } from "@csi-sidecars/base";
import { compatibility } from "./compatibility.ts";
import { type GatherOptions, gatherFacts } from "./gather.ts";
import { logReport } from "./log-report.ts";

/**
 * Says in the log what is missing around a process that starts. Nothing waits for it, nothing depends on it; import it when it is
 * called, so that it costs a running process nothing.
 */
export async function reportAtStart(options: GatherOptions, log: Logger): Promise<void> {
  try {
    const facts = await gatherFacts(options);
    if (!options.signal?.aborted) logReport(compatibility(facts), log);
  } catch (error) {
    log.error(error, "Could not find out whether anything is missing");
  }
}
