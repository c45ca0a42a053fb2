import { message } from "@csi-sidecars/base";

/** What the health monitor writes into events, in upstream's words. That a volume is abnormal is said in the driver's. */
export const messages = {
  recovered: message(() => "The Volume returns to the healthy state"),
  missing: message(
    (handle: string, driver: string) =>
      `The volume ${handle} is missing: the CSI driver ${driver} has left it out of its last two lists of volumes`,
  ),
  nodeFailed: message(
    (pods: string, claim: string, namespace: string, node: string) =>
      `Pods: [ ${pods} ] consuming PVC: ${claim} in namespace: ${namespace} are now on a failed node: ${node}`,
  ),
  nodeRecovered: message((node: string) => `Node: ${node} recovered`),
};

/** The node that an event about a failure names. */
export function failedNodeIn(text: string): string | undefined {
  return messages.nodeFailed.partsIn(text)?.[3];
}

/** The node that an event about a recovery names. */
export function recoveredNodeIn(text: string): string | undefined {
  return messages.nodeRecovered.partsIn(text)?.[0];
}
