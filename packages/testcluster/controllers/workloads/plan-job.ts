import type { V1Pod } from "@csi-sidecars/kube";
import { controllerReference, hasEnded, isReady, isTerminating } from "./owned-objects.ts";
import { Job, type V1Job } from "./workload-kinds.ts";

export interface JobPlan {
  readonly create: readonly V1Pod[];
  readonly status: { readonly active: number; readonly ready: number; readonly succeeded: number; readonly failed: number };
}

/** The pods that a job still needs. Where no container runs, none of them ever ends by itself. */
export function planJob(job: V1Job, pods: readonly V1Pod[]): JobPlan {
  const { parallelism = 1, completions = 1, backoffLimit = 6, suspend = false, template } = job.spec ?? {};
  const active = pods.filter((pod) => !isTerminating(pod) && !hasEnded(pod));
  const ended = (phase: string) => pods.filter(({ status }) => status?.phase === phase).length;
  const [succeeded, failed] = [ended("Succeeded"), ended("Failed")];
  const wanted = suspend || failed > backoffLimit ? 0 : Math.min(parallelism, Math.max(0, completions - succeeded));
  const pod = {
    metadata: {
      ...template?.metadata,
      generateName: `${job.metadata?.name}-`,
      namespace: job.metadata?.namespace,
      ownerReferences: [controllerReference(Job, job)],
    },
    spec: { containers: [], ...template?.spec },
  };
  return {
    create: Array.from({ length: Math.max(0, wanted - active.length) }, () => pod),
    status: { active: active.length, ready: active.filter(isReady).length, succeeded, failed },
  };
}
