import type { Flag } from "./flag.ts";
import type { Sorted } from "./given-values.ts";
import { componentsOf, type FlagOwner, type Program } from "./program.ts";
import { canonical, flagsIn, processFlagsIn } from "./spellings.ts";

/** What the user should know about a command line that nevertheless works. */
export function warningsAbout(
  program: Program,
  sorted: Sorted,
  enabled: ReadonlySet<string>,
  setBy: ReadonlyMap<string, string>,
): readonly string[] {
  return [...deprecations(program, setBy, enabled), ...withoutOwner(sorted), ...withoutFollower(componentsOf(program), sorted, enabled)];
}

/** The given generic flags that no enabled component follows. */
export function idleGenerics(components: readonly FlagOwner[], sorted: Sorted, enabled: ReadonlySet<string>): readonly string[] {
  const active = components.filter(({ name }) => enabled.has(name)).flatMap(({ flags }) => Object.values(flags));
  return sorted.generics.filter((generic) => !active.some(({ follows }) => follows === generic));
}

function withoutFollower(components: readonly FlagOwner[], sorted: Sorted, enabled: ReadonlySet<string>): readonly string[] {
  return idleGenerics(components, sorted, enabled).map((generic) => `flag --${generic} has no effect: no enabled controller uses it`);
}

/** One line for each component that is not enabled, however many of its flags are given. */
function withoutOwner(sorted: Sorted): readonly string[] {
  const owners = Map.groupBy(sorted.ignored, ({ places }) => places.map(({ component }) => component).join(" or "));
  return [...owners].map(([owner, flags]) => {
    const names = [...new Set(flags.map(({ spelling }) => `--${spelling}`))];
    return `${names.join(", ")} ${names.length > 1 ? "have" : "has"} no effect: ${owner} is not enabled`;
  });
}

function deprecations(program: Program, setBy: ReadonlyMap<string, string>, enabled: ReadonlySet<string>): readonly string[] {
  const tables: readonly (readonly [string, Flag<unknown>])[] = [
    ...Object.entries(processFlagsIn(program)),
    ...componentsOf(program)
      .filter(({ name }) => enabled.has(name))
      .flatMap((component) =>
        Object.entries(flagsIn(program.form, component)).map(
          ([name, flag]) => [canonical(program.form, component.name, name), flag] as const,
        ),
      ),
  ];
  return tables.flatMap(([name, flag]) => {
    const spelling = setBy.get(name);
    return flag.deprecated !== undefined && spelling !== undefined ? [`flag --${spelling} is deprecated: ${flag.deprecated}`] : [];
  });
}
