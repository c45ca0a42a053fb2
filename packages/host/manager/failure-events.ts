import { involved, Lease, namespaceOf, Pod } from "@csi-sidecars/kube";
import type { Component } from "../component.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { electionWith, sharedElection } from "../leadership/election.ts";
import { leaseIdentity } from "../leadership/lease-identity.ts";
import type { PlannedProcess } from "../program/plan-process.ts";

/**
 * Tells the cluster about a controller that keeps failing: on the lease under which it runs or, where it runs under none, on the one that
 * the others share; on its pod if there is none. A process that needs no API server tells nobody.
 */
export function failureEvents(
  process: PlannedProcess,
  component: Component,
  kube: KubeAccess | undefined,
  session: DriverSession | undefined,
): (message: string) => void {
  const { plan, processEnv, log } = process;
  const election = electionWith(plan.elections, component) ?? sharedElection(plan.elections);
  return (message) => {
    const { lease, eventSource } = leaseIdentity(process, election ?? { components: [] }, session?.name);
    const about = election
      ? involved(Lease, { metadata: lease })
      : involved(Pod, { metadata: { name: processEnv.hostName, namespace: namespaceOf(processEnv.env) } });
    kube?.events.recorder(eventSource, log).event(about, "Warning", "ControllerFailed", message);
  };
}
