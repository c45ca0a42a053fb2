import type { Logger } from "@csi-sidecars/base";
import type { GroupVersion } from "./api-groups.ts";
import type { CallObserver } from "./observed-service.ts";

/** A line for each call: who can use an endpoint can change the disks of the node, and this tells what was done. Never with its arguments. */
export function auditLog(log: Logger, { group, version }: GroupVersion): CallObserver {
  return {
    handled({ method, code, durationMs }) {
      log.info("Call", { group, version, method, code, duration: `${durationMs.toFixed(1)}ms` });
    },
  };
}
