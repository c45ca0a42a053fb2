import { describe, expect, test } from "bun:test";
import { resource } from "../resource.ts";
import { Lease, Namespace, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../resources.ts";
import { collectionPath, creationPath, groupVersionPath, InvalidRequestError, objectPath } from "./request-url.ts";

describe("paths", () => {
  const odd = resource("v1", "odds", "Odd", { namespaced: true });
  test.each([
    ["core, cluster-scoped, all", collectionPath(PersistentVolume), "/api/v1/persistentvolumes"],
    ["core, all namespaces", collectionPath(PersistentVolumeClaim), "/api/v1/persistentvolumeclaims"],
    ["core, one namespace", collectionPath(PersistentVolumeClaim, "default"), "/api/v1/namespaces/default/persistentvolumeclaims"],
    ["named group", collectionPath(VolumeAttachment), "/apis/storage.k8s.io/v1/volumeattachments"],
    ["named group, namespaced", collectionPath(Lease, "kube-system"), "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"],
    ["a namespace means nothing to a cluster-scoped kind", collectionPath(PersistentVolume, "x"), "/api/v1/persistentvolumes"],
    ["create", creationPath(PersistentVolumeClaim, "ns"), "/api/v1/namespaces/ns/persistentvolumeclaims"],
    ["object", objectPath(VolumeAttachment, { name: "csi-1" }), "/apis/storage.k8s.io/v1/volumeattachments/csi-1"],
    ["status", objectPath(VolumeAttachment, { name: "a" }, "status"), "/apis/storage.k8s.io/v1/volumeattachments/a/status"],
    ["a namespace itself", objectPath(Namespace, { name: "default" }), "/api/v1/namespaces/default"],
    ["encoded subresource", objectPath(odd, { namespace: "a", name: "b" }, "x?y#z"), "/api/v1/namespaces/a/odds/b/x%3Fy%23z"],
    ["encoded", objectPath(odd, { namespace: "a b", name: "ü:x?y" }), "/api/v1/namespaces/a%20b/odds/%C3%BC%3Ax%3Fy"],
  ])("%s", (_what, path, expected) => {
    expect(path).toBe(expected);
  });

  test.each([
    ["no name", () => objectPath(PersistentVolume, { name: "" }), "resource name may not be empty"],
    ["no namespace", () => objectPath(Lease, { name: "x" }), "an empty namespace may not be set when a resource name is provided"],
    ["create without namespace", () => creationPath(Lease, ""), "an empty namespace may not be set during creation"],
    ["dots", () => objectPath(PersistentVolume, { name: ".." }), 'invalid resource name ".."'],
    ["slash", () => objectPath(PersistentVolume, { name: "a/b" }), 'invalid resource name "a/b"'],
    ["percent", () => objectPath(PersistentVolume, { name: "a%2fb" }), 'invalid resource name "a%2fb"'],
    ["subresource with slash", () => objectPath(PersistentVolume, { name: "a" }, "../b/status"), 'invalid subresource "../b/status"'],
    ["subresource with dots", () => objectPath(PersistentVolume, { name: "a" }, ".."), 'invalid subresource ".."'],
    ["empty subresource", () => objectPath(PersistentVolume, { name: "a" }, ""), 'invalid subresource ""'],
    ["group with slash", () => groupVersionPath("a/b", "v1"), 'invalid group "a/b"'],
    ["version with slash", () => groupVersionPath("a", "v1/../v2"), 'invalid version "v1/../v2"'],
    ["no version", () => groupVersionPath("", ""), 'invalid version ""'],
    ["kind with slash", () => collectionPath(resource("v1", "pods/x", "Odd", { namespaced: true })), 'invalid resource "pods/x"'],
    ["namespace with slash", () => collectionPath(Lease, "a/../b"), 'invalid namespace "a/../b"'],
  ])("refused: %s", (_what, make, message) => {
    expect(make).toThrow(InvalidRequestError);
    expect(make).toThrow(message);
  });
});
