import { writeFileSync } from "node:fs";
import type { Logger } from "./logger.ts";

/**
 * Writes the reason of an exit to the container's termination message path. The kubelet creates that file; outside of a container
 * none is created, so that a local run leaves nothing behind in `/dev`. A failure is only logged.
 */
export function writeTerminationLog(path: string, message: string, log: Logger): void {
  try {
    writeFileSync(path, message, { flag: "r+" });
  } catch (error) {
    log.v(4).info("Could not write the termination log", { path, err: String(error) });
  }
}
