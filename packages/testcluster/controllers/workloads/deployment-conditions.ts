import { metav1Time } from "@csi-sidecars/kube";
import type { DeploymentPlan } from "./plan-deployment.ts";
import type { V1Deployment } from "./workload-kinds.ts";

/** The conditions that `kubectl rollout status` and `kubectl wait` look at. One that stays as it was keeps its time. */
export function deploymentConditions({ spec, status }: V1Deployment, now: DeploymentPlan["status"], at: number) {
  const { replicas = 1 } = spec ?? {};
  const { availableReplicas = 0, updatedReplicas = 0 } = now;
  const available = availableReplicas >= replicas;
  const complete = available && updatedReplicas === replicas && now.replicas === replicas;
  const wanted = [
    {
      type: "Available",
      status: available ? "True" : "False",
      reason: available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      message: `${availableReplicas} of ${replicas} pods can be used`,
    },
    {
      type: "Progressing",
      status: "True",
      reason: complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
      message: `${updatedReplicas} of ${replicas} pods have the present template`,
    },
  ] as const;
  const time = metav1Time(at);
  return wanted.map((condition) => {
    const before = status?.conditions?.find(({ type }) => type === condition.type);
    const kept = before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
    if (kept) return before;
    const lastTransitionTime = (before?.status === condition.status && before.lastTransitionTime) || time;
    return { ...condition, lastUpdateTime: time, lastTransitionTime };
  });
}
