import { writeFileSync } from "node:fs";
import type { Logger } from "@csi-sidecars/base";
import type { LossDecision } from "../grpc/channel-state.ts";

const message = "Lost connection to CSI driver, exiting";

export interface ExitOnLossOptions {
  readonly log: Logger;
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** Where Kubernetes looks for the reason. */
  readonly terminationLog?: string;
}

/** The loss policy of sidecars whose state is stale without their driver: leave a message for the kubelet's eyes and exit with 1. */
export function exitOnLoss({ log, exit, terminationLog = "/dev/termination-log" }: ExitOnLossOptions): () => LossDecision {
  return () => {
    try {
      writeFileSync(terminationLog, message, { mode: 0o644 });
    } catch (error) {
      log.error(error, "Failed to write the termination log", { path: terminationLog });
    }
    log.error(undefined, message);
    exit(1);
    return "refuse";
  };
}
