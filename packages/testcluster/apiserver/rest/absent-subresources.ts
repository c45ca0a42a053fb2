import { StatusError } from "@csi-sidecars/kube";
import { unknownResource } from "../../rules/status.ts";

const noContainers = "no container runs in this cluster";

/** What people ask a cluster for that this one cannot have, and why. */
const reasons: Readonly<Record<string, string>> = {
  "pods/log": `there are no logs: ${noContainers}`,
  "pods/exec": `nothing can be executed: ${noContainers}`,
  "pods/attach": `there is nothing to attach to: ${noContainers}`,
  "pods/portforward": `no port is open: ${noContainers}`,
  "pods/proxy": `no port is open: ${noContainers}`,
  "serviceaccounts/token": "this server issues no tokens for service accounts",
  "deployments/scale": "nothing scales here: change spec.replicas instead",
  "replicasets/scale": "nothing scales here: change spec.replicas instead",
  "statefulsets/scale": "nothing scales here: change spec.replicas instead",
};

/** The 404 for a subresource that is not served, with the reason where there is one to tell. */
export function absentSubresource(plural: string, subresource: string, name: string | undefined): StatusError {
  const reason = reasons[`${plural}/${subresource}`];
  if (reason === undefined) return unknownResource();
  const details = { ...(name !== undefined && { name }), kind: plural };
  return new StatusError({
    status: "Failure",
    message: `${plural} ${JSON.stringify(name ?? "")}: ${reason}`,
    reason: "NotFound",
    details,
    code: 404,
  });
}
