import type { KubeObject } from "../object.ts";
import { resource } from "../resource.ts";
import type { CallOptions, Client } from "./client.ts";

interface V1SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } };
}

const SelfSubjectReview = resource<V1SelfSubjectReview>("authentication.k8s.io/v1", "selfsubjectreviews", "SelfSubjectReview", {
  namespaced: false,
});

/** The user that the API server takes the client for. Served from Kubernetes 1.28 on. */
export async function whoAmI(client: Pick<Client, "create">, options?: CallOptions): Promise<string> {
  const review = await client.create(SelfSubjectReview, {}, options);
  return review.status?.userInfo?.username ?? "";
}
