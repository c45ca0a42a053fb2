import { createHash } from "node:crypto";
import type { Logger } from "@csi-sidecars/base";
import type { OperationId } from "./catalogue.ts";

/** Logs at verbosity 8 which script an operation runs. Never its parameters: some are secret. */
export function logScript(logger: Logger, message: string, op: OperationId, script: string): void {
  const log = logger.v(8);
  if (log.enabled) log.info(message, { op, script: createHash("sha256").update(script).digest("hex") });
}
