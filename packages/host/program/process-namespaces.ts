import { type Environment, type Files, namespaceOf } from "@csi-sidecars/kube";
import type { ProcessValues } from "../flags/standard-flags.ts";

/** Where a process works with namespaced objects of its own. */
export interface ProcessNamespaces {
  /** Where the namespaced rules of its components apply: the provisioner keeps its capacity objects in `NAMESPACE`, as upstream's does. */
  readonly objects: string;
  readonly lease: string;
}

export function processNamespaces(
  env: Environment,
  { leaderElectionNamespace }: Pick<ProcessValues, "leaderElectionNamespace">,
  files?: Files,
): ProcessNamespaces {
  const pod = namespaceOf(env, files);
  return { objects: env.NAMESPACE || pod, lease: leaderElectionNamespace || pod };
}
