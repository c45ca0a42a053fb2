import type { Environment } from "@csi-sidecars/kube";

/** Where the objects go, and whose pod this is. */
export interface CapacityEnvironment {
  readonly namespace: string;
  /** Empty only where nobody owns the objects. */
  readonly podName: string;
}

/** What the pod's manifest must say through environment variables, and does not. */
export function capacityProblems({ NAMESPACE: namespace, POD_NAME: podName }: Environment, ownerLevel: number): readonly string[] {
  return [
    ...(namespace ? [] : ["need NAMESPACE env variable for CSIStorageCapacity objects"]),
    ...(podName || ownerLevel < 0 ? [] : ["need POD_NAME env variable to determine CSIStorageCapacity owner"]),
  ];
}

/** Throws what is missing. */
export function capacityEnvironment(env: Environment, ownerLevel: number): CapacityEnvironment {
  const [problem] = capacityProblems(env, ownerLevel);
  if (problem !== undefined) throw new Error(problem);
  const { NAMESPACE: namespace = "", POD_NAME: podName = "" } = env;
  return { namespace, podName };
}
