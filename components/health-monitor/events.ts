import { objectEvents } from "@csi-sidecars/controller";
import { type EventRecorder, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import type { Claim } from "./fields.ts";
import { messages } from "./messages.ts";

/** Upstream's component name of the events. */
export const eventSource = (driver: string): string => `csi-pv-monitor-controller-${driver}`;

/** Tells the users of a claim about its volume. */
export interface HealthEvents {
  /** `condition` is the driver's message. */
  abnormal(claim: Claim, condition: string): void;
  normal(claim: Claim): void;
  /** The driver does not list the volume any more. */
  missing(claim: Claim, handle: string, driver: string): void;
  nodeFailed(claim: Claim, node: string, pods: readonly string[]): void;
  nodeRecovered(claim: Claim, node: string): void;
}

export function healthEvents(recorder: EventRecorder): HealthEvents {
  const claims = objectEvents(recorder, PersistentVolumeClaim);
  const { abnormal, normal, missing, nodeFailed, nodeRecovered } = eventReasons;
  return {
    abnormal: (claim, condition) => claims.warning(claim, abnormal.reason, condition),
    normal: (claim) => claims.normal(claim, normal.reason, messages.recovered()),
    missing: (claim, handle, driver) => claims.warning(claim, missing.reason, messages.missing(handle, driver)),
    nodeFailed(claim, node, pods) {
      const { name = "", namespace = "" } = claim.metadata;
      claims.warning(claim, nodeFailed.reason, messages.nodeFailed(pods.join(" "), name, namespace, node));
    },
    nodeRecovered: (claim, node) => claims.warning(claim, nodeRecovered.reason, messages.nodeRecovered(node)),
  };
}
