import {
  type Client,
  type KubeObject,
  mergePatch,
  PersistentVolumeClaim,
  resource,
  StorageClass,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { selectedNodeOf } from "../topology/selected-node.ts";
import { type customKinds, inDefault } from "./manifests.ts";

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Makes the API server serve a custom kind. */
export async function installKind(admin: Client, kind: (typeof customKinds)[keyof typeof customKinds][number]): Promise<void> {
  await admin.raw("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind);
  const { group, versions, names } = kind.spec;
  const served = () =>
    admin.discover(`${group}/${versions[0]?.name}`).then((kinds) => kinds?.some(({ name }) => name === names.plural) || undefined);
  await poll(() => `the kind ${names.kind}`, served);
  await growOld(admin, kind.metadata.name);
}

interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const Definition = resource<Definition>("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
});

/** kube-apiserver holds up the creation of objects for two seconds where their kind is served for less. */
async function growOld(admin: Client, name: string): Promise<void> {
  const { status: { conditions = [] } = {} } = await admin.get(Definition, { name });
  const old = conditions.map((condition) => ({ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }));
  await admin.patch(Definition, { name }, mergePatch({ status: { conditions: old } }), { subresource: "status" });
}

/** kube-controller-manager looks at a claim whose class it did not know yet only a quarter of a minute later, unless the claim changes. */
export async function nudge(admin: Client, { metadata, spec }: V1PersistentVolumeClaim): Promise<void> {
  const of = await admin.get(StorageClass, { name: spec?.storageClassName || "-" }).catch(() => undefined);
  if (!of || (of.volumeBindingMode !== "Immediate" && !selectedNodeOf(metadata?.annotations))) return;
  let looks = 0;
  const noticed = async () => {
    const { metadata: now } = await admin.get(PersistentVolumeClaim, inDefault(metadata?.name ?? ""));
    if (now?.annotations?.["volume.kubernetes.io/storage-provisioner"]) return true;
    if (++looks % 20 === 0)
      await admin.patch(PersistentVolumeClaim, inDefault(now?.name ?? ""), mergePatch({ metadata: { labels: { looks: `${looks}` } } }));
    return undefined;
  };
  await poll(() => `the provisioner of ${metadata?.name}`, noticed);
}

/** From then on the user may do this and nothing else. */
export async function bindRole(admin: Client, user: string, given: readonly Rule[]): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: `provisioner-of-${user}` };
  const rules = given.map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
  const apiGroup = "rbac.authorization.k8s.io";
  await admin.raw("POST", `${rbac}/clusterroles`, { apiVersion: `${apiGroup}/v1`, kind: "ClusterRole", metadata, rules });
  await admin.raw("POST", `${rbac}/clusterrolebindings`, {
    ...{ apiVersion: `${apiGroup}/v1`, kind: "ClusterRoleBinding", metadata },
    roleRef: { apiGroup, kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup, kind: "User", name: user }],
  });
}

const deadlineMs = 10_000;

/** What is looked for, as soon as it is there. */
export async function poll<R>(what: () => string, look: () => Promise<R | undefined>, ms = deadlineMs): Promise<R> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await Bun.sleep(5);
  }
}
