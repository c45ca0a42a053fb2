import { type FieldError, invalidValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, sameValue, stringAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { guardBinding, guardRole } from "../../rbac/escalation.ts";

const group = "rbac.authorization.k8s.io";

/** Names of roles and bindings may have any character of a path segment. */
function pathSegmentFaults(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Roles and cluster roles. */
export const roleRules: KindRules = {
  validateName: pathSegmentFaults,
  guard: guardRole,
  defaults: (object) => ({ ...object, rules: arrayAt(object, "rules").length > 0 ? object.rules : null }),
  validate: (object) => arrayAt(object, "rules").flatMap((rule, i) => ruleErrors(objectAt({ rule }, "rule"), `rules[${i}]`)),
};

function ruleErrors(rule: JsonObject, field: string): FieldError[] {
  const has = (member: string) => arrayAt(rule, member).length > 0;
  const errors: FieldError[] = [];
  if (!has("verbs")) errors.push(requiredValue(`${field}.verbs`, "verbs must contain at least one value"));
  if (has("nonResourceURLs")) {
    if (has("apiGroups") || has("resources") || has("resourceNames")) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalidValue(`${field}.nonResourceURLs`, rule.nonResourceURLs, detail));
    }
    return errors;
  }
  if (!has("apiGroups")) errors.push(requiredValue(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  if (!has("resources")) errors.push(requiredValue(`${field}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

/** RoleBindings: the role reference is immutable. */
export const roleBindingRules: KindRules = {
  validateName: pathSegmentFaults,
  guard: guardBinding,
  defaults: (object) => {
    const subjects = arrayAt(object, "subjects").map((subject) =>
      isObject(subject) && subject.kind !== "ServiceAccount" ? { apiGroup: group, ...subject } : subject,
    );
    const roleRef = { apiGroup: group, ...objectAt(object, "roleRef") };
    return { ...object, roleRef, ...(subjects.length > 0 && { subjects }) };
  },
  validate: (object) => {
    const { apiGroup, kind, name } = objectAt(object, "roleRef");
    const kinds = stringAt(object, "metadata", "namespace") ? ["Role", "ClusterRole"] : ["ClusterRole"];
    return [
      ...(apiGroup === group ? [] : [notSupported("roleRef.apiGroup", apiGroup, [group])]),
      ...(kinds.includes(String(kind)) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
      ...(name ? [] : [requiredValue("roleRef.name")]),
      ...arrayAt(object, "subjects").flatMap((subject, i) => subjectErrors(subject, `subjects[${i}]`, kinds.length === 1)),
    ];
  },
  validateUpdate: (old, object) => {
    if (sameValue(old.roleRef, object.roleRef)) return [];
    const { apiGroup, kind, name } = objectAt(object, "roleRef");
    return [invalidValue("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
  },
};

function subjectErrors(subject: unknown, field: string, clusterWide: boolean): FieldError[] {
  const kind = stringAt(subject, "kind");
  const kinds = ["ServiceAccount", "User", "Group"];
  return [
    ...(stringAt(subject, "name") ? [] : [requiredValue(`${field}.name`)]),
    ...(kinds.includes(kind) ? [] : [notSupported(`${field}.kind`, kind, kinds)]),
    ...(clusterWide && kind === "ServiceAccount" && !stringAt(subject, "namespace") ? [requiredValue(`${field}.namespace`)] : []),
  ];
}
