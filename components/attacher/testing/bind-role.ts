import type { Client } from "@csi-sidecars/kube";
import { grantRole } from "@csi-sidecars/testcluster";
import { attacherRules } from "../rbac.ts";

/** Lets a user do what the shipped role says, with or without its optional rule about secrets. */
export function bindRole(admin: Client, user: string, withoutSecrets = false): Promise<void> {
  return grantRole(
    admin,
    user,
    attacherRules.cluster.filter(({ resources }) => !withoutSecrets || !resources.includes("secrets")),
  );
}
