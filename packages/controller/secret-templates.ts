import { ownValue, type Result } from "@csi-sidecars/base";
import { parameterPrefix } from "@csi-sidecars/kube";

/** The parameters of a class. */
export type Parameters = Readonly<Record<string, string>>;

/** Where a secret is. */
export interface SecretRef {
  readonly name: string;
  readonly namespace: string;
}

/** The parameters of a class that name a secret, by templates. */
export interface SecretKeys {
  /** As messages call it. */
  readonly title: string;
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
}

/** `stem` is part of the prefixed keys, `deprecated` of the old ones, where there are any. */
export function secretKeys(title: string, stem: string, deprecated?: string): SecretKeys {
  const keys = (part: "Name" | "Namespace") => [
    `${parameterPrefix}${stem}-${part.toLowerCase()}`,
    ...(deprecated === undefined ? [] : [`${deprecated}${part}`]),
  ];
  return { title, names: keys("Name"), namespaces: keys("Namespace") };
}

/** What the tokens of templates stand for. */
export interface TemplateTokens {
  readonly forName: ReadonlyMap<string, string>;
  readonly forNamespace: ReadonlyMap<string, string>;
}

/** The templates that a class has; `undefined` where it has none. */
export function secretTemplates({ title, ...keys }: SecretKeys, parameters: Parameters): Result<SecretRef | undefined> {
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

/** Where the secret is that templates name. */
export function resolveSecret(templates: SecretRef, { forName, forNamespace }: TemplateTokens): Result<SecretRef> {
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
