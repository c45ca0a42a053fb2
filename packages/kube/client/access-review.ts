import type { KubeObject } from "../object.ts";
import { type Resource, resource } from "../resource.ts";
import type { CallOptions, Client } from "./client.ts";

/** What to check. Without `name`: any object; without `namespace`: all namespaces. */
export interface AccessQuestion {
  readonly verb: string;
  readonly resource: Resource;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

interface V1SelfSubjectAccessReview extends KubeObject {
  spec: { resourceAttributes: Readonly<Record<string, string | undefined>> };
  status?: { allowed: boolean; reason?: string; evaluationError?: string };
}

const SelfSubjectAccessReview = resource<V1SelfSubjectAccessReview>(
  "authorization.k8s.io/v1",
  "selfsubjectaccessreviews",
  "SelfSubjectAccessReview",
  { namespaced: false },
);

/** Checks with a SelfSubjectAccessReview whether the client may do something: a start-up check can name a missing RBAC rule. */
export async function reviewAccess(client: Pick<Client, "create">, question: AccessQuestion, options?: CallOptions): Promise<AccessAnswer> {
  const { verb, subresource, namespace, name } = question;
  const { group, version, plural } = question.resource;
  const review = await client.create(
    SelfSubjectAccessReview,
    { spec: { resourceAttributes: { verb, group, version, resource: plural, subresource, namespace, name } } },
    options,
  );
  return { allowed: review.status?.allowed ?? false, reason: review.status?.reason ?? review.status?.evaluationError ?? "" };
}
