import { expect, test } from "bun:test";
import { requestInfo } from "./request-info.ts";

const nothing = { subresource: undefined, namespace: undefined, name: undefined };
const core = { kind: "resource", group: "", version: "v1", ...nothing } as const;
const storage = { kind: "resource", group: "storage.k8s.io", version: "v1", ...nothing } as const;

test.each([
  ["GET", "/api/v1/pods", { ...core, verb: "list", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=true", { ...core, verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=0", { ...core, verb: "list", resource: "pods" }],
  ["GET", "/api/v1/watch/namespaces/a/pods", { ...core, verb: "watch", resource: "pods", namespace: "a" }],
  ["GET", "/api/v1/namespaces/a/pods/b", { ...core, verb: "get", resource: "pods", namespace: "a", name: "b" }],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Db", { ...core, verb: "list", resource: "pods", name: "b" }],
  ["GET", "/api/v1/namespaces/a", { ...core, verb: "get", resource: "namespaces", namespace: "a", name: "a" }],
  [
    "PUT",
    "/api/v1/namespaces/a/status",
    { ...core, verb: "update", resource: "namespaces", subresource: "status", namespace: "a", name: "a" },
  ],
  [
    "PATCH",
    "/apis/storage.k8s.io/v1/volumeattachments/x/status",
    { ...storage, verb: "patch", resource: "volumeattachments", name: "x", subresource: "status" },
  ],
  ["DELETE", "/apis/storage.k8s.io/v1/volumeattachments", { ...storage, verb: "deletecollection", resource: "volumeattachments" }],
  ["POST", "/apis/storage.k8s.io/v1/storageclasses", { ...storage, verb: "create", resource: "storageclasses" }],
  ["GET", "/apis/storage.k8s.io/v1", { kind: "path", verb: "get", path: "/apis/storage.k8s.io/v1" }],
  ["GET", "/healthz", { kind: "path", verb: "get", path: "/healthz" }],
] as const)("%s %s", (method, target, expected) => {
  const [path = "", query = ""] = target.split("?");
  expect(requestInfo(method, path, new URLSearchParams(query))).toEqual(expected);
});
