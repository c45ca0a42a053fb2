import { writeFileSync } from "node:fs";
import type { Logger } from "@csi-sidecars/base";

/** Leaves a message where the kubelet looks for the reason of an exit; a failure is only logged. */
export function terminationLog(path: string, log: Logger): (message: string) => void {
  return (message) => {
    try {
      writeFileSync(path, message, { mode: 0o644 });
    } catch (error) {
      log.v(4).info("Could not write the termination log", { path, err: String(error) });
    }
  };
}
