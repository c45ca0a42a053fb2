import type { Result } from "@csi-sidecars/base";
import { parameterPrefix } from "../names.ts";
import type { Parameters } from "../provision/class-parameters.ts";
import { expandTemplate } from "./expand-template.ts";

/** Where a secret is. */
export interface SecretRef {
  readonly name: string;
  readonly namespace: string;
}

/** What a class can name secrets for. */
export type SecretPurpose =
  | "provisioner"
  | "controllerPublish"
  | "nodeStage"
  | "nodePublish"
  | "controllerExpand"
  | "nodeExpand"
  | "controllerModify";

interface SecretKeys {
  /** As messages call it. */
  readonly title: string;
  /** The part of the prefixed key: `<prefix><stem>-name`. */
  readonly stem: string;
  /** The part of the old key, where there is one: `<old>Name`. */
  readonly old?: string;
}

const keysOf: Readonly<Record<SecretPurpose, SecretKeys>> = {
  provisioner: { title: "Provisioner", stem: "provisioner-secret", old: "csiProvisionerSecret" },
  controllerPublish: { title: "ControllerPublish", stem: "controller-publish-secret", old: "csiControllerPublishSecret" },
  nodeStage: { title: "NodeStage", stem: "node-stage-secret", old: "csiNodeStageSecret" },
  nodePublish: { title: "NodePublish", stem: "node-publish-secret", old: "csiNodePublishSecret" },
  controllerExpand: { title: "ControllerExpand", stem: "controller-expand-secret" },
  nodeExpand: { title: "NodeExpand", stem: "node-expand-secret" },
  controllerModify: { title: "ControllerModify", stem: "controller-modify-secret" },
};
const defaultKeys: SecretKeys = { title: "Default", stem: "secret" };

/** What templates may speak of. Without `annotations` a template that reads one is refused. */
export interface TemplateSubjects {
  readonly volume: string;
  readonly claim?: { readonly name: string; readonly namespace: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** The secret that the class names for a purpose, or for all of them; `undefined` where it names none. */
export function secretReference(purpose: SecretPurpose, parameters: Parameters, subjects: TemplateSubjects): Result<SecretRef | undefined> {
  const own = templatesOf(keysOf[purpose], parameters);
  if (own.error !== undefined) return { error: `failed to get name and namespace template from params: ${own.error}` };
  const common = own.value ? own : templatesOf(defaultKeys, parameters);
  if (common.error !== undefined) return { error: `failed to get default name and namespace template from params: ${common.error}` };
  return common.value ? resolve(common.value, subjects) : { value: undefined };
}

/** Whether some template reads an annotation of the claim; those are not cached. */
export function readsAnnotations(parameters: Parameters): boolean {
  return Object.entries(parameters).some(([key, value]) => /secret-?name$/i.test(key) && value.includes("pvc.annotations["));
}

function templatesOf({ title, stem, old }: SecretKeys, parameters: Parameters): Result<SecretRef | undefined> {
  const given = (part: "Name" | "Namespace") => {
    const keys = [`${parameterPrefix}${stem}-${part.toLowerCase()}`, ...(old === undefined ? [] : [`${old}${part}`])];
    return keys.filter((key) => key in parameters).map((key) => parameters[key] ?? "");
  };
  const [names, namespaces] = [given("Name"), given("Namespace")];
  if (names.length > 1 || namespaces.length > 1) {
    return { error: `${title} secrets specified in parameters with both "csi" and "${parameterPrefix}" keys` };
  }
  const [[name], [namespace]] = [names, namespaces];
  if (name === undefined && namespace === undefined) return { value: undefined };
  if (name === undefined || namespace === undefined) {
    return { error: `either name and namespace for ${title} secrets specified, Both must be specified` };
  }
  if (name === "" || namespace === "") {
    return { error: `${title} secrets specified in parameters but value of either namespace or name is empty` };
  }
  return { value: { name, namespace } };
}

function resolve(templates: SecretRef, { volume, claim }: TemplateSubjects): Result<SecretRef> {
  const forNamespace = new Map([["pv.name", volume]]);
  if (claim) forNamespace.set("pvc.namespace", claim.namespace);
  const forName = new Map(forNamespace);
  if (claim) forName.set("pvc.name", claim.name);
  for (const [key, value] of Object.entries(claim?.annotations ?? {})) forName.set(`pvc.annotations['${key}']`, value);

  const namespace = resolveOne(templates.namespace, forNamespace, { pattern: label, longest: 63, what: "namespace name" });
  if (namespace.error !== undefined) return namespace;
  const name = resolveOne(templates.name, forName, { pattern: subdomain, longest: 253, what: "secret name" });
  if (name.error !== undefined) return name;
  return { value: { name: name.value, namespace: namespace.value } };
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

interface NameRule {
  readonly pattern: RegExp;
  readonly longest: number;
  readonly what: string;
}

function resolveOne(template: string, tokens: ReadonlyMap<string, string>, { pattern, longest, what }: NameRule): Result<string> {
  const expanded = expandTemplate(template, tokens);
  if (expanded.error !== undefined) return expanded;
  const { value } = expanded;
  if (pattern.test(value) && value.length <= longest) return { value };
  const resolved = value === template ? "is" : `resolved to ${JSON.stringify(value)} which is`;
  return { error: `${JSON.stringify(template)} ${resolved} not a valid ${what}` };
}
