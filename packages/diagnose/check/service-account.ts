import { ServiceAccount } from "@csi-sidecars/kube";
import type { ClusterReader } from "../access/read-cluster.ts";
import type { Row } from "./row.ts";

/** How the API server calls the user that a service account is. */
export const serviceAccounts = "system:serviceaccount:";

/** A misspelt account has no permissions, and no role is missing. `cluster` is read as the caller, not as that account. */
export async function serviceAccountRows(cluster: ClusterReader, user: string): Promise<readonly Row[]> {
  const [namespace, name] = user.slice(serviceAccounts.length).split(":");
  if (!user.startsWith(serviceAccounts) || !namespace || !name) return [];
  const { state } = await cluster.get(ServiceAccount, { namespace, name });
  if (state !== "missing") return [];
  const message = `there is no service account ${name} in namespace ${namespace}`;
  return [{ severity: "warning", area: "permission", message, remedy: "check the names in --as, unless it is still to be created" }];
}
