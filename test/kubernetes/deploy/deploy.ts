import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { rbacCommand } from "@csi-sidecars/diagnose/rbac";
import { parseAllDocuments } from "yaml";
import { chooseProgram } from "../../../cmd/csi-sidecars/choose-program.ts";
import type { Kubectl } from "../node/kubectl.ts";
import { waitFor } from "../node/wait-for.ts";

const definitionsFolder = join(import.meta.dirname, "../../../deploy/kubernetes/crds");

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly template?: { readonly spec: { readonly serviceAccountName: string; readonly containers: readonly Container[] } };
  };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
}

/** Applies the definitions of snapshots and a kustomization (or a file of manifests), and waits until its pods are ready and the driver is registered. */
export async function deploy(kubectl: Kubectl, manifests: string): Promise<void> {
  const crds = readdirSync(definitionsFolder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml");
  for (const name of crds) kubectl.apply(readFileSync(join(definitionsFolder, name), "utf8"));
  kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
  const text = statSync(manifests).isDirectory() ? kubectl("kustomize", manifests) : readFileSync(manifests, "utf8");
  kubectl.apply(text);
  const objects = parseAllDocuments(text).map((document): Workload => document.toJS());
  const roles = rolesFor(objects);
  if (roles) kubectl.apply(roles);
  for (const { kind, metadata } of objects) {
    if (!["Deployment", "DaemonSet", "StatefulSet"].includes(kind)) continue;
    const namespace = metadata.namespace ?? "default";
    kubectl("rollout", "status", `${kind.toLowerCase()}/${metadata.name}`, `--namespace=${namespace}`, "--timeout=180s");
  }
  for (const { metadata } of objects.filter(({ kind }) => kind === "CSIDriver")) {
    await waitFor(`the registration of ${metadata.name}`, () => {
      const drivers = kubectl("get", "csinodes", "--output=jsonpath={.items[*].spec.drivers[*].name}");
      if (!drivers.split(" ").includes(metadata.name)) throw new Error(`drivers of the node: ${drivers || "none"}`);
    });
  }
}

/** The roles that csi-sidecars needs with the arguments it has there: those of the example and, for features that the example leaves out, more. */
function rolesFor(objects: readonly Workload[]): string | undefined {
  for (const { kind, metadata, spec } of objects) {
    const sidecars = spec?.template?.spec.containers.find(({ name }) => name === "csi-sidecars");
    if (kind !== "Deployment" || !sidecars || !spec?.template) continue;
    const account = [`--namespace=${metadata.namespace}`, `--service-account=${spec.template.spec.serviceAccountName}`];
    const { program } = chooseProgram("csi-sidecars", []);
    const { exitCode, stdout, stderr } = rbacCommand([...account, "--name-prefix=example-csi", ...(sidecars.args ?? [])], program);
    if (exitCode !== 0) throw new Error(`csi-sidecars rbac does not take the arguments of ${metadata.name}: ${stderr}`);
    return stdout;
  }
  return undefined;
}
