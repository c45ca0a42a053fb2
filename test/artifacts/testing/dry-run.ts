import type { Cluster } from "@csi-sidecars/testcluster";
import type { Manifest } from "../../../tools/generate-deploy/manifests.ts";

/** What the server would store. */
export async function dryRun({ admin }: Cluster, manifest: Manifest): Promise<Manifest> {
  const { apiVersion, kind, metadata } = manifest;
  const resource = (await admin.discover(apiVersion))?.find((served) => served.kind === kind && !served.name.includes("/"));
  if (!resource) throw new Error(`the server has no ${kind} in ${apiVersion}`);
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace ? `/namespaces/${metadata.namespace}` : "";
  return admin.raw("POST", `${group}${scope}/${resource.name}?dryRun=All&fieldValidation=Strict`, manifest);
}
