import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}
const all = "create,delete,deletecollection,get,list,patch,update,watch";
const verbs = (names: readonly string[]) => (names.join() === all ? "all" : names.join());
const line = ({ name, singularName, kind, namespaced, verbs: given, shortNames = [] }: ApiResource): string =>
  [name, singularName || "-", kind, namespaced ? "namespaced" : "cluster", verbs(given), ...shortNames].join(" ");

const served: readonly [path: string, name: string, entry: string][] = [
  ["/api/v1", "configmaps", "configmaps configmap ConfigMap namespaced all cm"],
  ["/api/v1", "events", "events event Event namespaced all ev"],
  ["/api/v1", "namespaces", "namespaces namespace Namespace cluster create,delete,get,list,patch,update,watch ns"],
  ["/api/v1", "nodes", "nodes node Node cluster all no"],
  ["/api/v1", "nodes/status", "nodes/status - Node cluster get,patch,update"],
  ["/api/v1", "persistentvolumeclaims", "persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim namespaced all pvc"],
  ["/api/v1", "persistentvolumeclaims/status", "persistentvolumeclaims/status - PersistentVolumeClaim namespaced get,patch,update"],
  ["/api/v1", "persistentvolumes", "persistentvolumes persistentvolume PersistentVolume cluster all pv"],
  ["/api/v1", "persistentvolumes/status", "persistentvolumes/status - PersistentVolume cluster get,patch,update"],
  ["/api/v1", "pods", "pods pod Pod namespaced all po"],
  ["/api/v1", "pods/status", "pods/status - Pod namespaced get,patch,update"],
  ["/api/v1", "secrets", "secrets secret Secret namespaced all"],
  ["/api/v1", "serviceaccounts", "serviceaccounts serviceaccount ServiceAccount namespaced all sa"],
  ["/apis/storage.k8s.io/v1", "csidrivers", "csidrivers csidriver CSIDriver cluster all"],
  ["/apis/storage.k8s.io/v1", "csinodes", "csinodes csinode CSINode cluster all"],
  ["/apis/storage.k8s.io/v1", "csistoragecapacities", "csistoragecapacities csistoragecapacity CSIStorageCapacity namespaced all"],
  ["/apis/storage.k8s.io/v1", "storageclasses", "storageclasses storageclass StorageClass cluster all sc"],
  ["/apis/storage.k8s.io/v1", "volumeattachments", "volumeattachments volumeattachment VolumeAttachment cluster all"],
  ["/apis/storage.k8s.io/v1", "volumeattachments/status", "volumeattachments/status - VolumeAttachment cluster get,patch,update"],
  [
    "/apis/storage.k8s.io/v1",
    "volumeattributesclasses",
    "volumeattributesclasses volumeattributesclass VolumeAttributesClass cluster all vac",
  ],
  ["/apis/coordination.k8s.io/v1", "leases", "leases lease Lease namespaced all"],
  ["/apis/events.k8s.io/v1", "events", "events event Event namespaced all ev"],
  ["/apis/apps/v1", "statefulsets", "statefulsets statefulset StatefulSet namespaced all sts"],
  ["/apis/apps/v1", "replicasets", "replicasets replicaset ReplicaSet namespaced all rs"],
  ["/apis/rbac.authorization.k8s.io/v1", "clusterroles", "clusterroles clusterrole ClusterRole cluster all"],
  ["/apis/rbac.authorization.k8s.io/v1", "rolebindings", "rolebindings rolebinding RoleBinding namespaced all"],
  [
    "/apis/authorization.k8s.io/v1",
    "selfsubjectaccessreviews",
    "selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview cluster create",
  ],
  [
    "/apis/apiextensions.k8s.io/v1",
    "customresourcedefinitions",
    "customresourcedefinitions customresourcedefinition CustomResourceDefinition cluster all crd crds",
  ],
  [
    "/apis/apiextensions.k8s.io/v1",
    "customresourcedefinitions/status",
    "customresourcedefinitions/status - CustomResourceDefinition cluster get,patch,update",
  ],
];

test.each([...served])("%s %s", async (path, name, entry) => {
  const { body } = await file.admin.get(path);
  const found = body.resources.find((resource: ApiResource) => resource.name === name);
  expect(found && line(found)).toBe(entry);
});

test("a resource list names its group version", async () => {
  const { body } = await file.admin.get("/apis/storage.k8s.io/v1");
  expect([body.kind, body.apiVersion, body.groupVersion]).toEqual(["APIResourceList", "v1", "storage.k8s.io/v1"]);
});

test.each(["storage.k8s.io", "coordination.k8s.io", "rbac.authorization.k8s.io", "authorization.k8s.io", "events.k8s.io"])(
  "the group %s",
  async (name) => {
    const version = { groupVersion: `${name}/v1`, version: "v1" };
    const { body: groups } = await file.admin.get("/apis");
    expect([groups.kind, groups.apiVersion]).toEqual(["APIGroupList", "v1"]);
    const entry = groups.groups.find((group: { name: string }) => group.name === name);
    expect([entry.preferredVersion, entry.versions[0]]).toEqual([version, version]);
    const { body: group } = await file.admin.get(`/apis/${name}`);
    expect([group.kind, group.apiVersion, group.preferredVersion]).toEqual(["APIGroup", "v1", version]);
  },
);

const absent: readonly [path: string, said: string][] = [
  ["/apis/storage.k8s.io/v9", "404 NotFound: the server could not find the requested resource"],
  ["/apis/snapshot.storage.k8s.io/v1", "404 404 page not found"],
  ["/apis/snapshot.storage.k8s.io", "404 404 page not found"],
  ["/api/v2", "404 NotFound: the server could not find the requested resource"],
  ["/apis/nothing.example.com/v1", "404 404 page not found"],
];
test.each([...absent])("%s is not served", async (path, said) => {
  expect(outcomeOf(await file.admin.get(path))).toBe(said);
});

test("the server says its version", async () => {
  const { body } = await file.admin.get("/version");
  expect([body.major, body.minor]).toEqual(["1", "36"]);
  expect(body.gitVersion).toMatch(/^v1\.36\.\d+/);
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining(["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"]),
  );
});
