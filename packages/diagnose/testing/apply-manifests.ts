import type { Cluster, TestUser } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly subjects?: readonly unknown[];
}

export function manifestsIn(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml)
    .map((document) => {
      expectNoErrors(document.errors);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** Creates roles and bindings; what was meant for a service account is given to the user. */
export async function applyFor(cluster: Cluster, user: TestUser, yaml: string): Promise<void> {
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user.name }];
  for (const manifest of manifestsIn(yaml)) {
    const { apiVersion, kind, metadata } = manifest;
    const scope = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    const path = `/apis/${apiVersion}${scope}/${kind.toLowerCase()}s`;
    await cluster.admin.raw("POST", path, manifest.subjects ? { ...manifest, subjects } : manifest);
  }
}

function expectNoErrors(errors: readonly Error[]): void {
  if (errors[0]) throw errors[0];
}
