import { describe, expect, test } from "bun:test";
import { resource } from "../resource.ts";
import { Lease, Namespace, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../resources.ts";
import { collectionPath, creationPath, InvalidRequestError, objectPath } from "./request-url.ts";

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
    ["namespace with slash", () => collectionPath(Lease, "a/../b"), 'invalid namespace "a/../b"'],
  ])("refused: %s", (_what, make, message) => {
    expect(make).toThrow(InvalidRequestError);
    expect(make).toThrow(message);
  });
});
