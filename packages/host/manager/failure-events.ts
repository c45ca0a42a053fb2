import { involved, Lease, namespaceOf, Pod } from "@csi-sidecars/kube";
import type { DriverSession } from "../driver/driver-session.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { leaseIdentity } from "../leadership/lease-identity.ts";
import type { PlannedProcess } from "../program/plan-process.ts";

/**
 * Tells the cluster about a controller that keeps failing: on the lease that the process runs for, or on its pod if it runs for none. A
 * process that needs no API server tells nobody.
 */
export function failureEvents(
  { program, plan, settings, processEnv, log }: PlannedProcess,
  kube: KubeAccess | undefined,
  session: DriverSession | undefined,
): (message: string) => void {
  return (message) => {
    const { lease, eventSource } = leaseIdentity(program, plan, settings.process, processEnv, session?.name);
    const about =
      plan.elected.length > 0
        ? involved(Lease, { metadata: lease })
        : involved(Pod, { metadata: { name: processEnv.hostName, namespace: namespaceOf(processEnv.env) } });
    kube?.events.recorder(eventSource, log).event(about, "Warning", "ControllerFailed", message);
  };
}
