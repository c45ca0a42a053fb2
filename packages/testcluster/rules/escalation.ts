import type { PolicyRule, User } from "./authorize.ts";
import { quoted } from "./field-error.ts";

/** One thing that a rule allows: a verb on a resource (of one name, perhaps), or on a path. */
type Right =
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string }
  | { readonly verb: string; readonly path: string };

/** What a user would give away without having it, in the server's words; `undefined` where their own rules cover all of it. */
export function whyEscalates(user: User, own: readonly PolicyRule[], given: readonly PolicyRule[]): string | undefined {
  const missing = given.flatMap(rightsOf).filter((right) => !own.some((rule) => ruleCovers(rule, right)));
  if (missing.length === 0) return undefined;
  const who = `user ${quoted(user.name)} (groups=${listed(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${described(missing).join("\n")}`;
}

function rightsOf({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): readonly Right[] {
  const names = resourceNames.length > 0 ? resourceNames : [undefined];
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...(name !== undefined && { name }) }))),
    ),
  );
  return [...onResources, ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })))];
}

/** Stars are words here like others: who has every verb one by one does not have `*`. */
function ruleCovers(rule: PolicyRule, right: Right): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] } = rule;
  const has = (list: readonly string[], word: string) => list.includes("*") || list.includes(word);
  if (!has(verbs, right.verb)) return false;
  if ("path" in right) return nonResourceURLs.some((url) => pathCovers(url, right.path));
  const { group, resource, name } = right;
  const [, subresource] = resource.split("/", 2);
  const isResource = has(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  const isName = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return has(apiGroups, group) && isResource && isName;
}

const pathCovers = (url: string, path: string): boolean => url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));

/** The verbs on one resource together, in alphabetical order of the lines. */
function described(rights: readonly Right[]): readonly string[] {
  const lines = Map.groupBy(rights, (right) =>
    "path" in right ? JSON.stringify([right.path, right.verb]) : JSON.stringify([right.group, right.resource, right.name ?? null]),
  );
  const texts = [...lines.values()].map((same) => {
    const [first] = same;
    const verbs = `Verbs:${listed(same.map(({ verb }) => verb))}}`;
    if (first === undefined || "path" in first) return `{NonResourceURLs:${listed([first?.path ?? ""])}, ${verbs}`;
    const name = first.name === undefined ? "" : `ResourceNames:${listed([first.name])}, `;
    return `{APIGroups:${listed([first.group])}, Resources:${listed([first.resource])}, ${name}${verbs}`;
  });
  return [...new Set(texts)].sort();
}

/** A list as Go's `%q` writes it. */
const listed = (words: readonly string[]): string => `[${words.map(quoted).join(" ")}]`;
