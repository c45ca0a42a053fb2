import { metav1Time } from "@csi-sidecars/kube";
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { type AccessRequest, type RbacPolicy, rulesFor, type User, whyAllowed } from "../../rules/rbac/authorize.ts";

const authorization = { group: "authorization.k8s.io", version: "v1" } as const;

/** Kinds that are only created: the response carries the result. */
export const reviewKinds = [
  { group: "authentication.k8s.io", version: "v1", plural: "selfsubjectreviews", kind: "SelfSubjectReview" },
  { ...authorization, plural: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview" },
  { ...authorization, plural: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview" },
  { ...authorization, plural: "subjectaccessreviews", kind: "SubjectAccessReview" },
] as const;

type ReviewKind = (typeof reviewKinds)[number];

export function findReview(group: string, version: string, plural: string): ReviewKind | undefined {
  return reviewKinds.find((kind) => kind.group === group && kind.version === version && kind.plural === plural);
}

/** The review with its `status` filled in. */
export function reviewed(review: ReviewKind, body: JsonObject, asking: User, policy: RbacPolicy, now: number): JsonObject {
  const types = { kind: review.kind, apiVersion: `${review.group}/${review.version}`, metadata: objectAt(body, "metadata") };
  const spec = objectAt(body, "spec");
  switch (review.kind) {
    case "SelfSubjectReview":
      return {
        ...types,
        metadata: { creationTimestamp: metav1Time(now) },
        status: { userInfo: { username: asking.name, groups: asking.groups } },
      };
    case "SelfSubjectAccessReview":
      return { ...types, spec, status: decision(asking, askedFor(spec), policy) };
    case "SelfSubjectRulesReview":
      return { ...types, spec, status: ruleList(asking, stringAt(spec, "namespace"), policy) };
    case "SubjectAccessReview": {
      const groups = arrayAt(spec, "groups").filter((group) => typeof group === "string");
      const user = { name: stringAt(spec, "user"), groups };
      return { ...types, spec, status: decision(user, askedFor(spec), policy) };
    }
  }
}

/** The rules that apply to a user. */
function ruleList(user: User, namespace: string, policy: RbacPolicy): JsonObject {
  const rules = rulesFor(user, namespace, policy);
  const ofPaths = rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined && nonResourceURLs.length > 0);
  return { resourceRules: rules.filter((rule) => !ofPaths.includes(rule)), nonResourceRules: ofPaths, incomplete: false };
}

function decision(user: User, request: AccessRequest, policy: RbacPolicy): JsonObject {
  const reason = whyAllowed(user, request, policy);
  return { allowed: reason !== undefined, ...(reason && { reason }) };
}

function askedFor(spec: JsonObject): AccessRequest {
  const path = spec.nonResourceAttributes;
  if (isObject(path)) return { verb: stringAt(path, "verb"), path: stringAt(path, "path") };
  const attributes = objectAt(spec, "resourceAttributes");
  const text = (name: string) => stringAt(attributes, name);
  return {
    verb: text("verb"),
    group: text("group"),
    resource: text("resource"),
    subresource: text("subresource"),
    namespace: text("namespace"),
    name: text("name"),
  };
}
