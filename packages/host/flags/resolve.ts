import { dictionary, ownValue } from "@csi-sidecars/base";
import { camelCase, type Flag, type FlagTable, type FlagValues, refusal } from "./flag.ts";
import { type Reading, read, type Sorted, sortOccurrences } from "./given-values.ts";
import { componentsOf, type FlagOwner, type FlagQuestions, type Program } from "./program.ts";
import { canonical, flagsIn, processFlagsIn, type Spellings } from "./spellings.ts";
import { type ProcessValues, processFlags } from "./standard-flags.ts";
import type { Occurrence } from "./tokenise.ts";
import { idleGenerics, warningsAbout } from "./warnings.ts";

/** The values of all flags after the command line was read. */
export interface Settings {
  /** The enabled components, in the order of the program's list. */
  readonly enabled: readonly string[];
  readonly process: ProcessValues;
  /** A component's values: its own flag, else the generic one if given, else its default. */
  of<Table extends FlagTable>(component: FlagOwner<Table>): FlagValues<Table>;
  /** The log verbosity of a component. */
  verbosity(component: string): number;
  /** The spelling that set a flag (by its canonical name, without dashes), or `undefined` while it has its default. */
  setBy(flag: string): string | undefined;
  /** How a component's flag was typed, else how the program calls it; for messages. */
  spelling(component: string, flag: string): string;
  /** What the user should know; nothing that keeps the process from starting. */
  readonly warnings: readonly string[];
  /** Reasons not to start (exit code 1), to be reported after `--version` had its chance. */
  readonly problems: readonly string[];
}

interface Values {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** Gives every flag of the program its value. Throws `Misuse` where the command line cannot be understood. */
export function resolve(program: Program, spellings: Spellings, occurrences: readonly Occurrence[], enabled: readonly string[]): Settings {
  const on = new Set(enabled);
  const sorted = sortOccurrences(occurrences, spellings, on);
  const components = componentsOf(program);
  const setBy = new Map<string, string>();
  const note = (name: string, reading: Reading<unknown> | undefined) => {
    if (reading) setBy.set(name, reading.spelling);
    return reading;
  };

  const spelling = (component: string, flag: string) => {
    const name = canonical(program.form, component, flag);
    return setBy.get(name) ?? name;
  };

  const offered = processFlagsIn(program);
  const shared = valuesOf(
    processFlags,
    (name) => name,
    (name, flag) => (Object.hasOwn(offered, name) ? note(name, read(flag, sorted.process(name))) : undefined),
  );
  const process = shared.values as ProcessValues;

  const each = new Map(
    components.map((component) => {
      const flagName = (name: string) => canonical(program.form, component.name, name);
      const own = valuesOf({ ...component.flags, ...flagsIn(program.form, component) }, flagName, (name, flag) =>
        on.has(component.name) ? note(flagName(name), readOwnOrFollowed(sorted, component.name, name, flag)) : undefined,
      );
      const explicit = (name: string) => setBy.has(flagName(name));
      const given = (name: string) => spelling(component.name, name);
      const questions: FlagQuestions = { process, form: program.form, isOnlyComponent: on.size === 1, flagName: given, explicit };
      if (!on.has(component.name)) return [component.name, { values: own.values, problems: [], warnings: [] }];
      const problems = [...own.problems, ...(component.validate?.(own.values, questions) ?? [])];
      return [component.name, { values: own.values, problems, warnings: component.warn?.(own.values, questions) ?? [] }];
    }),
  );

  checkIgnored(program, sorted, on);
  return {
    enabled,
    process,
    of<Table extends FlagTable>(component: FlagOwner<Table>) {
      const own = each.get(component.name);
      if (!own) throw new Error(`${component.name} is no component of ${program.name}`);
      return own.values as FlagValues<Table>;
    },
    verbosity: (component) => (each.get(component)?.values as { v?: number } | undefined)?.v ?? process.v,
    setBy: (flag) => setBy.get(flag),
    spelling,
    warnings: [...warningsAbout(program, sorted, on, setBy), ...[...each.values()].flatMap(({ warnings }) => warnings)],
    // One flag may set the same of several components.
    problems: [...new Set([...shared.problems, ...exclusive(process), ...[...each.values()].flatMap(({ problems }) => problems)])],
  };
}

function readOwnOrFollowed(sorted: Sorted, component: string, name: string, flag: Flag<unknown>): Reading<unknown> | undefined {
  const own = read(flag, sorted.component({ component, flag: name }));
  if (own || !flag.follows) return own;
  return read(flag, sorted.generic(flag.follows)) ?? read(flag, sorted.process(flag.follows));
}

function valuesOf(
  table: FlagTable,
  flagName: (name: string) => string,
  reading: (name: string, flag: Flag<unknown>) => Reading<unknown> | undefined,
): Values {
  const values = dictionary<unknown>();
  const problems: string[] = [];
  for (const [name, flag] of Object.entries(table)) {
    const given = reading(name, flag);
    const value = given === undefined ? flag.initial : given.value;
    const problem = refusal(flag, value, given?.spelling ?? flagName(name));
    if (problem !== undefined) problems.push(problem);
    values[camelCase(name)] = value;
  }
  return { values, problems };
}

function exclusive(process: ProcessValues): readonly string[] {
  return [
    ...(process.httpEndpoint && process.metricsAddress ? ["Only one of `--metrics-address` and `--http-endpoint` can be set"] : []),
    ...(process.enableUi && !process.httpEndpoint ? ["--enable-ui needs --http-endpoint: the page is served there"] : []),
  ];
}

/** A flag that has no effect must still have a value that could have one: otherwise enabling the component is what breaks. */
function checkIgnored(program: Program, sorted: Sorted, on: ReadonlySet<string>): void {
  const components = componentsOf(program);
  for (const { spelling, value, places } of sorted.ignored) {
    const owner = components.find(({ name }) => name === places[0]?.component);
    const flag = owner && ownValue(flagsIn(program.form, owner), places[0]?.flag ?? "");
    if (flag) read(flag, new Map([[spelling, [value]]]));
  }
  for (const generic of idleGenerics(components, sorted, on)) {
    const flag = components.flatMap(({ flags }) => Object.values(flags)).find(({ follows }) => follows === generic);
    if (flag) read(flag, sorted.generic(generic));
  }
}
