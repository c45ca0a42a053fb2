import { isRecord, ownValue } from "@csi-sidecars/base";

/** Part of a manifest as it was written: nothing is known of its shape. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsAt(value: Fields | undefined, ...path: readonly string[]): Fields | undefined {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? ownValue(found, name) : undefined;
  return isRecord(found) ? found : undefined;
}

/** The objects in a list; none where there is no list. */
export function listAt(value: Fields | undefined, name: string): readonly Fields[] {
  return entriesAt(value, name).map(([, each]) => each);
}

/** The objects in a list with their places in it, where something else may be too. */
export function entriesAt(value: Fields | undefined, name: string): readonly (readonly [place: number, value: Fields])[] {
  const list = ownValue(value ?? {}, name);
  return Array.isArray(list) ? list.flatMap((each: unknown, place) => (isRecord(each) ? [[place, each] as const] : [])) : [];
}

export function textAt(value: Fields | undefined, name: string): string | undefined {
  const text = ownValue(value ?? {}, name);
  return typeof text === "string" ? text : undefined;
}

/** The words of `command` or `args`; numbers and booleans as the author of the manifest meant them. */
export function wordsAt(value: Fields, name: "command" | "args"): readonly string[] {
  const words = ownValue(value, name);
  return Array.isArray(words) ? words.map(String) : [];
}

/** Whether two parts of a manifest say the same, in whatever order. */
export function alike(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value ?? null;
  return Object.entries(value)
    .map(([name, each]) => [name, inOrder(each)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The static variables of a container: those whose value is in the manifest. Later ones may refer to earlier ones. */
export function staticVariables(container: Fields): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const variable of listAt(container, "env")) {
    const name = textAt(variable, "name");
    if (name === undefined || Object.hasOwn(variable, "valueFrom")) continue;
    values.set(name, expand(String(variable.value ?? ""), values));
  }
  return values;
}

/** Replaces `$(NAME)` as the kubelet does: `$$` is a dollar sign, and what is not known stays. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()$]*)\)/g, (found, name?: string) => {
    if (name === undefined) return "$";
    return variables.get(name) ?? found;
  });
}

/** The variables that a text refers to. */
export function references(text: string): readonly string[] {
  return [...text.matchAll(/\$\$|\$\(([^()$]*)\)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** Whether a text, after `expand`, refers to a variable whose value the manifest does not tell. */
export const hasUnknown = (text: string) => references(text).length > 0;
