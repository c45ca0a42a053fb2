import { writeFileSync } from "node:fs";
import type { Logger } from "./logger.ts";

/**
 * Leaves a message where the kubelet looks for the reason of an exit. The kubelet makes the file; where there is none, there is no
 * kubelet to read it, and a program that is tried out leaves nothing behind in `/dev`. A failure is only logged.
 */
export function writeTerminationLog(path: string, message: string, log: Logger): void {
  try {
    writeFileSync(path, message, { flag: "r+" });
  } catch (error) {
    log.v(4).info("Could not write the termination log", { path, err: String(error) });
  }
}
