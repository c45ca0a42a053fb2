import type { Client } from "@csi-sidecars/kube";
import { grantRole } from "@csi-sidecars/testcluster";
import { capacityRules } from "../../testing/upstream-role.ts";
import { namespace } from "./manifests.ts";

const read = ["get", "list", "watch"];

/** The part of upstream's published role that capacity needs, and no more. */
export async function bindCapacityRole(admin: Client, user: string): Promise<void> {
  await grantRole(admin, user, [
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses", "csinodes"], verbs: read },
    { apiGroups: [""], resources: ["nodes"], verbs: read },
  ]);
  await grantRole(admin, user, capacityRules, namespace);
}
