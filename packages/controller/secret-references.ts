import type { Result } from "@csi-sidecars/base";
import { parameterPrefix } from "@csi-sidecars/kube";
import {
  type Parameters,
  resolveSecret,
  type SecretKeys,
  type SecretRef,
  secretKeys,
  secretTemplates,
  type TemplateTokens,
} from "./secret-templates.ts";

/** What a class can name secrets for. */
export type SecretPurpose =
  | "provisioner"
  | "controllerPublish"
  | "nodeStage"
  | "nodePublish"
  | "controllerExpand"
  | "nodeExpand"
  | "controllerModify";

const keysOf: Readonly<Record<SecretPurpose, SecretKeys>> = {
  provisioner: secretKeys("Provisioner", "provisioner-secret", "csiProvisionerSecret"),
  controllerPublish: secretKeys("ControllerPublish", "controller-publish-secret", "csiControllerPublishSecret"),
  nodeStage: secretKeys("NodeStage", "node-stage-secret", "csiNodeStageSecret"),
  nodePublish: secretKeys("NodePublish", "node-publish-secret", "csiNodePublishSecret"),
  controllerExpand: secretKeys("ControllerExpand", "controller-expand-secret"),
  nodeExpand: secretKeys("NodeExpand", "node-expand-secret"),
  controllerModify: secretKeys("ControllerModify", "controller-modify-secret"),
};
const defaultKeys = secretKeys("Default", "secret");

/** The parameters with the reserved prefix that name secrets. The deprecated ones are not reserved: drivers get them. */
export const secretParameterKeys: readonly string[] = [defaultKeys, ...Object.values(keysOf)]
  .flatMap(({ names, namespaces }) => [...names, ...namespaces])
  .filter((key) => key.startsWith(parameterPrefix));

/** The objects that templates may refer to. Without `annotations` a template that reads one is refused. */
interface TemplateSubjects {
  readonly volume: string;
  readonly claim?: { readonly name: string; readonly namespace: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** The secret that the class names for a purpose, or for all of them; `undefined` where it names none. */
export function secretReference(purpose: SecretPurpose, parameters: Parameters, subjects: TemplateSubjects): Result<SecretRef | undefined> {
  const own = secretTemplates(keysOf[purpose], parameters);
  if (own.error !== undefined) return { error: `failed to get name and namespace template from params: ${own.error}` };
  const common = own.value ? own : secretTemplates(defaultKeys, parameters);
  if (common.error !== undefined) return { error: `failed to get default name and namespace template from params: ${common.error}` };
  return common.value ? resolveSecret(common.value, tokensOf(subjects)) : { value: undefined };
}

/** The secrets that the class names, by purpose. */
export function secretReferences(
  parameters: Parameters,
  subjects: TemplateSubjects,
): Result<Readonly<Partial<Record<SecretPurpose, SecretRef>>>> {
  const secrets: Partial<Record<SecretPurpose, SecretRef>> = {};
  for (const purpose of Object.keys(keysOf) as SecretPurpose[]) {
    const reference = secretReference(purpose, parameters, subjects);
    if (reference.error !== undefined) return { error: reference.error };
    if (reference.value) secrets[purpose] = reference.value;
  }
  return { value: secrets };
}

/** Whether some template reads an annotation of the claim; those are not cached. */
export function readsAnnotations(parameters: Parameters): boolean {
  return Object.entries(parameters).some(([key, value]) => /secret-?name$/i.test(key) && value.includes("pvc.annotations["));
}

function tokensOf({ volume, claim }: TemplateSubjects): TemplateTokens {
  const forNamespace = new Map([["pv.name", volume]]);
  if (claim) forNamespace.set("pvc.namespace", claim.namespace);
  const forName = new Map(forNamespace);
  if (claim) forName.set("pvc.name", claim.name);
  for (const [key, value] of Object.entries(claim?.annotations ?? {})) forName.set(`pvc.annotations['${key}']`, value);
  return { forName, forNamespace };
}
