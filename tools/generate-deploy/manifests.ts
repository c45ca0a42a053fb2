import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

/** The folder of the example's manifests. */
export const manifestsFolder = join(import.meta.dirname, "../../deploy/kubernetes");

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly [field: string]: unknown;
}

/** A Deployment or a DaemonSet. */
export interface Workload extends Manifest {
  readonly spec: {
    readonly template: { readonly spec: { readonly serviceAccountName: string; readonly containers: readonly Container[] } };
  };
}

/** The names of the files that are applied. */
export function manifestFiles(): readonly string[] {
  return readdirSync(manifestsFolder).filter((name) => name !== "kustomization.yaml");
}

export function manifestsIn(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(join(manifestsFolder, file), "utf8")).map((document): Manifest => document.toJS());
}

function isWorkload(manifest: Manifest): manifest is Workload {
  return manifest.kind === "Deployment" || manifest.kind === "DaemonSet";
}

/** The Deployment or DaemonSet of a file. */
export function workloadIn(file: string): Workload {
  const workload = manifestsIn(file).find(isWorkload);
  if (!workload) throw new Error(`${file} has no workload`);
  return workload;
}

/** The container that is ours. */
export function sidecarIn(file: string): Container {
  const container = workloadIn(file).spec.template.spec.containers.find(({ name }) => name === "csi-sidecars");
  if (!container) throw new Error(`${file} has no container csi-sidecars`);
  return container;
}
