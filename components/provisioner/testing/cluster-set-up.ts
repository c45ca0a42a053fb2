import { until } from "@csi-sidecars/base/testing";
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

/** Makes the API server serve a custom kind. */
export async function installKind(admin: Client, kind: (typeof customKinds)[keyof typeof customKinds][number]): Promise<void> {
  await admin.raw("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind);
  const { group, versions, names } = kind.spec;
  const served = () =>
    admin.discover(`${group}/${versions[0]?.name}`).then((kinds) => kinds?.some(({ name }) => name === names.plural) || undefined);
  await until(`the kind ${names.kind}`, served);
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
  const storageClass = await admin.get(StorageClass, { name: spec?.storageClassName || "-" }).catch(() => undefined);
  if (!storageClass || (storageClass.volumeBindingMode !== "Immediate" && !selectedNodeOf(metadata?.annotations))) return;
  let looks = 0;
  const noticed = async () => {
    const { metadata: now } = await admin.get(PersistentVolumeClaim, inDefault(metadata?.name ?? ""));
    if (now?.annotations?.["volume.kubernetes.io/storage-provisioner"]) return true;
    if (++looks % 20 === 0)
      await admin.patch(PersistentVolumeClaim, inDefault(now?.name ?? ""), mergePatch({ metadata: { labels: { looks: `${looks}` } } }));
    return undefined;
  };
  await until(`the provisioner of ${metadata?.name}`, noticed);
}
