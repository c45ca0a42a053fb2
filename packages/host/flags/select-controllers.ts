import { suggest } from "./suggest.ts";

/** What `--controllers` can name. */
export interface Selectable {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly onByDefault?: boolean;
}

/** The enabled controllers in the order of the known ones, or why nothing can be run. */
export type Selection =
  | { readonly ok: true; readonly enabled: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * What `--controllers` selects, by kube-controller-manager's rules: the first item that names a controller decides (`name` on,
 * `-name` off); one that is not named is on if it is on by default and `*` was given.
 */
export function selectControllers(items: readonly string[], known: readonly Selectable[], separate: readonly Selectable[] = []): Selection {
  const canonical = names(known);
  const elsewhere = names(separate);
  const problems: string[] = [];
  const wishes = items.map((item) => {
    if (item === "*") return { all: true, off: false };
    const off = item.startsWith("-");
    const given = off ? item.slice(1) : item;
    const name = canonical.get(given);
    if (name === undefined) problems.push(unknown(given, known, elsewhere));
    return { all: false, off, name };
  });
  if (problems.length > 0) return { ok: false, problems: [...new Set(problems)] };

  const all = wishes.some((wish) => wish.all);
  const enabled = known.filter(({ name, onByDefault = false }) => {
    const first = wishes.find((wish) => wish.name === name);
    return first ? !first.off : all && onByDefault;
  });
  if (enabled.length === 0) return { ok: false, problems: ["--controllers: no controllers are enabled: name at least one"] };
  return { ok: true, enabled: enabled.map(({ name }) => name) };
}

function names(selectables: readonly Selectable[]): ReadonlyMap<string, string> {
  return new Map(selectables.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => [each, name] as const)));
}

function unknown(given: string, known: readonly Selectable[], elsewhere: ReadonlyMap<string, string>): string {
  const binary = elsewhere.get(given);
  if (binary !== undefined) return `--controllers: "${given}" is not a sidecar: run the separate program ${binary}`;
  const meant = suggest(given, names(known).keys());
  const remedy = meant ? ` (did you mean "${meant}"?)` : `: ${known.map(({ name }) => name).join(", ")}`;
  return `--controllers: "${given}" is not in the list of known controllers${remedy}`;
}
