import type { Component } from "@csi-sidecars/host";
import { parseAllDocuments, stringify } from "yaml";
import { components } from "../../../cmd/csi-sidecars/components.ts";
import { expand, staticVariables } from "../../../packages/diagnose/translate/container.ts";
import { recognise } from "../../../packages/diagnose/translate/recognise.ts";

/** A container of a manifest, to be run as a process. */
export interface PodContainer {
  readonly name: string;
  readonly args: readonly string[];
  /** The one that it runs alone. */
  readonly component?: Component;
  readonly manifest: Readonly<Record<string, unknown>>;
}

const objectsIn = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS());

/** The controller pod of a stream: the one of its Deployment or StatefulSet. */
export function podIn(yaml: string): { readonly containers: readonly PodContainer[] } {
  const workload = objectsIn(yaml).find(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  return {
    containers: workload.spec.template.spec.containers.map((manifest: PodContainer) => {
      const what = recognise(manifest as never, components, []);
      return { name: manifest.name, args: manifest.args ?? [], manifest, ...(what?.is === "sidecar" && { component: what.component }) };
    }),
  };
}

/** The arguments as the kubelet passes them, with ports of which every test has its own; the driver's address is added by the world. */
export function wordsFor({ args, manifest }: PodContainer): readonly string[] {
  const variables = new Map([...staticVariables(manifest), ["POD_NAMESPACE", "kube-system"]]);
  return args
    .map((word) => expand(word, variables))
    .filter((word) => !/^--?csi-address=/.test(word))
    .map((word) => word.replace(/^(--?[a-z-]*(?:http-endpoint|metrics-address))=.*$/, "$1=127.0.0.1:0"));
}

/** The roles and bindings of a stream. */
export function rolesIn(yaml: string): string {
  return objectsIn(yaml)
    .filter(({ apiVersion }) => apiVersion === "rbac.authorization.k8s.io/v1")
    .map((role) => `---\n${stringify(role)}`)
    .join("");
}
