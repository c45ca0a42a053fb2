import { alike, entriesAt, expand, type Fields, references, textAt } from "./container.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

/** An item of a list of a legacy sidecar that goes into the new container, unchanged unless `changed`. */
export interface Item {
  readonly sidecar: LegacySidecar;
  readonly field: string;
  readonly at: number;
  readonly value: Fields;
  readonly changed?: true;
}

export interface Merge {
  readonly items: readonly Item[];
  readonly warnings: readonly string[];
}

const itemsOf = (sidecars: readonly LegacySidecar[], field: string): readonly Item[] =>
  sidecars.flatMap((sidecar) => entriesAt(sidecar.container, field).map(([at, value]) => ({ sidecar, field, at, value })));

/** Every variable once. Two with one name and different values cannot both be there: the first stays. */
export function mergeVariables(sidecars: readonly LegacySidecar[]): Merge {
  const kept: Item[] = [];
  const warnings: string[] = [];
  for (const item of itemsOf(sidecars, "env")) {
    const before = kept.find(({ value }) => value.name === item.value.name);
    if (!before) kept.push(item);
    else if (!alike(before.value, item.value) && !isOnlyForArguments(item))
      warnings.push(
        `variable ${textAt(item.value, "name")} of ${item.sidecar.name} differs from the one of ${before.sidecar.name}, which is kept`,
      );
  }
  return { items: kept, warnings };
}

/** Whether arguments refer to it: its value is written into them where the variable itself is another one. */
function isOnlyForArguments({ sidecar, value }: Item): boolean {
  const name = textAt(value, "name") ?? "";
  return sidecar.variables.has(name) && [...sidecar.given.values()].some(({ text }) => references(text).includes(name));
}

/** The text of an argument with the variables of the new container; those that it does not have, or has with another value, are replaced. */
export function withVariables(text: string, from: LegacySidecar | undefined, merged: ReadonlyMap<string, string>): string {
  if (!from) return text;
  const other = [...from.variables].filter(([name, value]) => merged.get(name) !== value);
  return other.length > 0 && references(text).some((name) => other.some(([each]) => each === name)) ? expand(text, new Map(other)) : text;
}

/** Every mount once; a folder that one sidecar writes to is writable. */
export function mergeMounts(sidecars: readonly LegacySidecar[], isNeeded: (item: Item) => boolean): Merge {
  const kept: Item[] = [];
  const warnings: string[] = [];
  for (const item of itemsOf(sidecars, "volumeMounts").filter(isNeeded)) {
    const at = kept.findIndex(({ value }) => value.mountPath === item.value.mountPath);
    const before = kept[at];
    if (!before) kept.push(item);
    else if (alike(before.value, item.value)) continue;
    else if (before.value.name !== item.value.name || before.value.subPath !== item.value.subPath)
      warnings.push(
        `${textAt(item.value, "mountPath")} is volume ${before.value.name} as in ${before.sidecar.name}; it was ${item.value.name} in ${item.sidecar.name}`,
      );
    else {
      kept[at] = { ...before, value: stronger(before.value, item.value), changed: true };
      warnings.push(
        `${textAt(item.value, "mountPath")} is mounted with what ${before.sidecar.name} and ${item.sidecar.name} need together: compare readOnly and mountPropagation`,
      );
    }
  }
  return { items: kept, warnings };
}

function stronger(one: Fields, other: Fields): Fields {
  const { readOnly: _, ...rest } = { ...other, ...one };
  const propagation = ["Bidirectional", "HostToContainer"].find((mode) => [one, other].some((each) => each.mountPropagation === mode));
  return {
    ...rest,
    ...(one.readOnly === true && other.readOnly === true && { readOnly: true }),
    ...(propagation && { mountPropagation: propagation }),
  };
}

/** A list whose items have no key: every different item once. */
export function mergeAlike(sidecars: readonly LegacySidecar[], field: string): readonly Item[] {
  const kept: Item[] = [];
  for (const item of itemsOf(sidecars, field)) if (!kept.some(({ value }) => alike(value, item.value))) kept.push(item);
  return kept;
}
