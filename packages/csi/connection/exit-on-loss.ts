import { type Logger, writeTerminationLog } from "@csi-sidecars/base";
import type { LossDecision } from "../grpc/channel.ts";

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
    writeTerminationLog(terminationLog, message, log);
    log.error(undefined, message);
    exit(1);
    return "refuse";
  };
}
