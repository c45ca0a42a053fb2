import { parameterPrefix } from "@csi-sidecars/kube";
import type { Parameters } from "./secret-templates.ts";

/** What `--extra-create-metadata` and `--extra-modify-metadata` add to the parameters of a call: which objects it is made for. */
export function objectNameParameters(
  { metadata: { name, namespace = "" } }: { readonly metadata: { readonly name: string; readonly namespace?: string } },
  volume: string,
): Parameters {
  return {
    [`${parameterPrefix}pvc/name`]: name,
    [`${parameterPrefix}pvc/namespace`]: namespace,
    [`${parameterPrefix}pv/name`]: volume,
  };
}
