import type { Result } from "@csi-sidecars/base";

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
