import { describe, expect, test } from "bun:test";
import { CSINode, Namespace, Pod, type StatusError } from "@csi-sidecars/kube";
import { invalidValue, requiredValue } from "./field-error.ts";
import * as status from "./status.ts";

const seen: [behaviour: string, error: StatusError, onTheRealServer: object][] = [
  [
    "an absent object of the core group is named without a group",
    status.notFound(Pod, "x"),
    { message: 'pods "x" not found', reason: "NotFound", details: { name: "x", kind: "pods" }, code: 404 },
  ],
  [
    "an absent object of another group is named with it",
    status.notFound(CSINode, "x"),
    {
      message: 'csinodes.storage.k8s.io "x" not found',
      reason: "NotFound",
      details: { name: "x", group: "storage.k8s.io", kind: "csinodes" },
      code: 404,
    },
  ],
  [
    "an existing name is taken",
    status.alreadyExists(Namespace, "default"),
    {
      message: 'namespaces "default" already exists',
      reason: "AlreadyExists",
      details: { name: "default", kind: "namespaces" },
      code: 409,
    },
  ],
  [
    "a write on an old version conflicts",
    status.conflict(Pod, "x"),
    {
      message:
        'Operation cannot be fulfilled on pods "x": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "x", kind: "pods" },
      code: 409,
    },
  ],
  [
    "a delete of another object than meant names both UIDs and the kind",
    status.preconditionFailed(Pod, "x", "UID", "a", "b"),
    {
      message:
        'Operation cannot be fulfilled on Pod "x": the UID in the precondition (a) does not match the UID in record (b). The object might have been deleted and then recreated',
      reason: "Conflict",
      details: { name: "x", kind: "Pod" },
      code: 409,
    },
  ],
  [
    "one broken rule stands alone",
    status.invalid(Namespace, "", [requiredValue("metadata.name", "name or generateName is required")]),
    {
      message: 'Namespace "" is invalid: metadata.name: Required value: name or generateName is required',
      reason: "Invalid",
      details: {
        kind: "Namespace",
        causes: [{ reason: "FieldValueRequired", message: "Required value: name or generateName is required", field: "metadata.name" }],
      },
      code: 422,
    },
  ],
  [
    "a rule broken twice is told once and is two causes",
    status.invalid(CSINode, "n", [
      invalidValue("metadata.uid", "a", "field is immutable"),
      invalidValue("metadata.uid", "a", "field is immutable"),
    ]),
    {
      message: 'CSINode.storage.k8s.io "n" is invalid: metadata.uid: Invalid value: "a": field is immutable',
      reason: "Invalid",
      details: {
        name: "n",
        group: "storage.k8s.io",
        kind: "CSINode",
        causes: [
          { reason: "FieldValueInvalid", message: 'Invalid value: "a": field is immutable', field: "metadata.uid" },
          { reason: "FieldValueInvalid", message: 'Invalid value: "a": field is immutable', field: "metadata.uid" },
        ],
      },
      code: 422,
    },
  ],
  [
    "a refusal in a namespace names subresource and namespace",
    status.forbidden({
      user: "nobody",
      verb: "patch",
      group: "",
      resource: "persistentvolumeclaims",
      subresource: "status",
      namespace: "default",
      name: "x",
    }),
    {
      message:
        'persistentvolumeclaims "x" is forbidden: User "nobody" cannot patch resource "persistentvolumeclaims/status" in API group "" in the namespace "default"',
      reason: "Forbidden",
      details: { name: "x", kind: "persistentvolumeclaims" },
      code: 403,
    },
  ],
  [
    "a refusal of a list names no object",
    status.forbidden({ user: "nobody", verb: "list", group: "storage.k8s.io", resource: "csinodes" }),
    {
      message:
        'csinodes.storage.k8s.io is forbidden: User "nobody" cannot list resource "csinodes" in API group "storage.k8s.io" at the cluster scope',
      reason: "Forbidden",
      details: { group: "storage.k8s.io", kind: "csinodes" },
      code: 403,
    },
  ],
  [
    "a refusal of a path",
    status.forbiddenPath("nobody", "get", "/foo"),
    { message: 'forbidden: User "nobody" cannot get path "/foo"', reason: "Forbidden", details: {}, code: 403 },
  ],
  ["a missing or bad token", status.unauthorized(), { message: "Unauthorized", reason: "Unauthorized", code: 401 }],
  [
    "a version from the future",
    status.tooLargeResourceVersion(99999999, 217),
    {
      message: "Timeout: Too large resource version: 99999999, current: 217",
      reason: "Timeout",
      details: { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
      code: 504,
    },
  ],
  [
    "a JSON patch that does not apply",
    status.patchRejected(),
    { message: "the server rejected our request due to an error in our request", reason: "Invalid", details: {}, code: 422 },
  ],
  [
    "a method that the path does not know",
    status.methodNotAllowed(),
    { message: "the server does not allow this method on the requested resource", reason: "MethodNotAllowed", details: {}, code: 405 },
  ],
  [
    "a patch type that the kind does not know",
    status.unsupportedPatchType(),
    { message: "415: Unsupported Media Type", reason: "UnsupportedMediaType", details: {}, code: 415 },
  ],
];

describe("errors are those of the real server", () => {
  test.each(seen)("%s", (_, error, real) => {
    expect(error.status).toEqual({ kind: "Status", apiVersion: "v1", status: "Failure", ...real });
  });
});

test("an expired page carries the token with which the rest can be had", () => {
  expect(status.continueExpired("abc").status).toMatchObject({ reason: "Expired", code: 410, metadata: { continue: "abc" } });
});
