import { ownValue, type Result } from "@csi-sidecars/base";
import { parameterPrefix } from "@csi-sidecars/kube";

/** The parameters of a class. */
export type Parameters = Readonly<Record<string, string>>;

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

/** The parameters that name a secret, current and deprecated. */
interface SecretKeys {
  /** As messages call it. */
  readonly title: string;
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
}

/** `stem` is part of the prefixed keys, `deprecated` of the old ones, where there are any. */
function secretKeys(title: string, stem: string, deprecated?: string): SecretKeys {
  const keys = (part: "Name" | "Namespace") => [
    `${parameterPrefix}${stem}-${part.toLowerCase()}`,
    ...(deprecated === undefined ? [] : [`${deprecated}${part}`]),
  ];
  return { title, names: keys("Name"), namespaces: keys("Namespace") };
}

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
  const own = templatesOf(keysOf[purpose], parameters);
  if (own.error !== undefined) return { error: `failed to get name and namespace template from params: ${own.error}` };
  const common = own.value ? own : templatesOf(defaultKeys, parameters);
  if (common.error !== undefined) return { error: `failed to get default name and namespace template from params: ${common.error}` };
  return common.value ? resolve(common.value, subjects) : { value: undefined };
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

function templatesOf({ title, ...keys }: SecretKeys, parameters: Parameters): Result<SecretRef | undefined> {
  const names = keys.names.filter((key) => Object.hasOwn(parameters, key));
  const namespaces = keys.namespaces.filter((key) => Object.hasOwn(parameters, key));
  if (names.length === 0 && namespaces.length === 0) return { value: undefined };
  if (names.length > 1 || namespaces.length > 1) {
    return { error: `${title} secrets specified in parameters with both "csi" and "${parameterPrefix}" keys` };
  }
  const [name, namespace] = [names, namespaces].map(([key]) => (key === undefined ? undefined : (ownValue(parameters, key) ?? "")));
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

  const namespace = resolveOne(templates.namespace, forNamespace, { pattern: label, maxLength: 63, what: "namespace name" });
  if (namespace.error !== undefined) return namespace;
  const name = resolveOne(templates.name, forName, { pattern: subdomain, maxLength: 253, what: "secret name" });
  if (name.error !== undefined) return name;
  return { value: { name: name.value, namespace: namespace.value } };
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly what: string;
}

function resolveOne(template: string, tokens: ReadonlyMap<string, string>, { pattern, maxLength, what }: NameRule): Result<string> {
  const expanded = expandTemplate(template, tokens);
  if (expanded.error !== undefined) return expanded;
  const { value } = expanded;
  if (pattern.test(value) && value.length <= maxLength) return { value };
  const resolved = value === template ? "is" : `resolved to ${JSON.stringify(value)} which is`;
  return { error: `${JSON.stringify(template)} ${resolved} not a valid ${what}` };
}

const special = "*#$@!?-0123456789";

/**
 * Replaces `${token}` and `$token` by the rules of Go's os.Expand, which templates in classes have always followed: `${}` and an
 * unclosed `${` vanish, a `$` without a name stays.
 */
export function expandTemplate(template: string, tokens: ReadonlyMap<string, string>): Result<string> {
  const unknown = new Set<string>();
  let expanded = "";
  for (let at = 0; at < template.length; ) {
    const char = template.charAt(at);
    if (char !== "$" || at + 1 === template.length) {
      expanded += char;
      at++;
      continue;
    }
    const { name, width } = tokenAt(template, at + 1);
    if (name === "" && width === 0) expanded += "$";
    if (name !== "") {
      if (!tokens.has(name)) unknown.add(name);
      expanded += tokens.get(name) ?? "";
    }
    at += 1 + width;
  }
  if (unknown.size === 0) return { value: expanded };
  const names = [...unknown].sort().map((name) => JSON.stringify(name));
  return { error: `error resolving value ${JSON.stringify(template)}: invalid tokens: [${names.join(" ")}]` };
}

function tokenAt(template: string, from: number): { readonly name: string; readonly width: number } {
  const first = template.charAt(from);
  if (first === "{") {
    const end = template.indexOf("}", from + 1);
    if (end < 0) return { name: "", width: 1 };
    return { name: template.slice(from + 1, end), width: end + 1 - from };
  }
  if (special.includes(first)) return { name: first, width: 1 };
  const name = /^\w*/.exec(template.slice(from))?.[0] ?? "";
  return { name, width: name.length };
}
