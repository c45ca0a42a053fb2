import { metav1Time } from "@csi-sidecars/kube";
import { isObject, type JsonObject, stringAt } from "../rules/json.ts";
import { toStored } from "./conversion.ts";
import { newMetadata } from "./objects/metadata.ts";
import { type ServerState, tableOf } from "./server-state.ts";
import { keyOfObject, type Revision } from "./store/revision.ts";

/**
 * Stores objects as they are, with their status, without admission or HTTP: tests and benchmarks get a cluster with thousands of objects
 * quickly. An object of the same name is replaced.
 */
export function seedObjects(state: ServerState, objects: Iterable<object>): readonly Revision[] {
  const stored: Revision[] = [];
  for (const object of objects) stored.push(seedObject(state, { ...object }));
  return stored;
}

function seedObject(state: ServerState, object: JsonObject): Revision {
  const apiVersion = stringAt(object, "apiVersion");
  const kindName = stringAt(object, "kind");
  const kind = state.kinds.named(apiVersion, kindName);
  if (!kind) throw new Error(`cannot seed an object of apiVersion "${apiVersion}" and kind "${kindName}": the server does not serve it`);
  const given = isObject(object.metadata) ? object.metadata : {};
  const metadata = newMetadata(kind, given, {
    name: stringAt(given, "name"),
    namespace: kind.namespaced ? stringAt(given, "namespace") || "default" : undefined,
    uid: stringAt(given, "uid") || crypto.randomUUID(),
    creationTimestamp: stringAt(given, "creationTimestamp") || metav1Time(state.clock.now()),
  });
  const deletion = given.deletionTimestamp ? { deletionTimestamp: given.deletionTimestamp, deletionGracePeriodSeconds: 0 } : {};
  const complete = toStored(kind, { ...object, metadata: { ...metadata, ...deletion } });
  return state.store.put(tableOf(state, kind), keyOfObject(complete), complete);
}

const rbac = "rbac.authorization.k8s.io/v1";

const clusterRole = (name: string, rules: readonly object[]): JsonObject => ({
  apiVersion: rbac,
  kind: "ClusterRole",
  metadata: { name },
  rules,
});

const bindTo = (name: string, ...groups: string[]): JsonObject => ({
  apiVersion: rbac,
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
  subjects: groups.map((group) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group })),
});

const namespace = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

/** Where workloads in a cluster find its API server; here nothing listens at that address. */
const ownService: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    sessionAffinity: "None",
    type: "ClusterIP",
  },
  status: { loadBalancer: {} },
};

const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discovery = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...health];

/** The objects of a new cluster. */
export const bootstrapObjects: readonly JsonObject[] = [
  ...["default", "kube-system", "kube-public", "kube-node-lease"].map(namespace),
  ownService,
  clusterRole("cluster-admin", [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ]),
  bindTo("cluster-admin", "system:masters"),
  clusterRole("system:discovery", [{ nonResourceURLs: discovery, verbs: ["get"] }]),
  bindTo("system:discovery", "system:authenticated"),
  clusterRole("system:public-info-viewer", [{ nonResourceURLs: health, verbs: ["get"] }]),
  bindTo("system:public-info-viewer", "system:authenticated", "system:unauthenticated"),
  clusterRole("system:basic-user", [
    {
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      verbs: ["create"],
    },
    { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
  ]),
  bindTo("system:basic-user", "system:authenticated"),
];
