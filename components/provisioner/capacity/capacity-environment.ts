import type { Environment } from "@csi-sidecars/kube";

/** Where the objects go, and whose pod this is. */
export interface CapacityEnvironment {
  readonly namespace: string;
  /** Empty only where nobody owns the objects. */
  readonly podName: string;
}

/** What the pod's manifest must say through environment variables; throws what is missing. */
export function capacityEnvironment(env: Environment, ownerLevel: number): CapacityEnvironment {
  const { NAMESPACE: namespace = "", POD_NAME: podName = "" } = env;
  if (namespace === "") throw new Error("need NAMESPACE env variable for CSIStorageCapacity objects");
  if (podName === "" && ownerLevel >= 0) throw new Error("need POD_NAME env variable to determine CSIStorageCapacity owner");
  return { namespace, podName };
}
