import { type Client, isAlreadyExists, resource } from "@csi-sidecars/kube";

const ServiceAccount = resource("v1", "serviceaccounts", "ServiceAccount", { namespaced: true });

/** The account of pods that name none, which a controller creates in every namespace of a real cluster. */
export async function ensureServiceAccount(admin: Client): Promise<void> {
  await admin.create(ServiceAccount, { metadata: { namespace: "default", name: "default" } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
