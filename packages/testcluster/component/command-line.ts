import {
  type Component,
  type Flag,
  type FlagTable,
  type FlagValues,
  type ProcessFlag,
  type ProcessValues,
  processFlags,
} from "@csi-sidecars/host";

/** Flags as a command line, or as the values that it sets: the component's and the process's, durations in milliseconds. */
export type Flags<Table extends FlagTable> = readonly string[] | Partial<FlagValues<Table> & ProcessValues>;

/** The command line that sets these values; `prefixed` as the all-in-one spells a component's flags. */
export function commandLine(component: Component, flags: Flags<FlagTable>, prefixed: boolean): readonly string[] {
  if (isCommandLine(flags)) return flags;
  const prefix = prefixed ? `${component.name}-` : "";
  const known = new Map<string, readonly [spelling: string, Flag<unknown>]>([
    ...Object.entries<Flag<unknown>>(processFlags).map(([name, flag]) => [camelCase(name), [name, flag]] as const),
    ...Object.entries(component.flags).map(([name, flag]) => [camelCase(name), [`${prefix}${name}`, flag]] as const),
  ]);
  return Object.entries(flags)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const [spelling, flag] = known.get(key) ?? [];
      if (!flag) throw new Error(`${component.name} has no flag ${key}`);
      return `--${spelling}=${flag.format(value)}`;
    });
}

/** Whether a command line gives one of these flags. */
export function gives(argv: readonly string[], ...flags: readonly ProcessFlag[]): boolean {
  return argv.some((word) => flags.some((flag) => word === `--${flag}` || word.startsWith(`--${flag}=`)));
}

/** The component with all flags that it and the process have, also those that upstream's program lacks. */
export function withAllFlags(component: Component): Component {
  const flags = Object.entries(component.flags).map(([name, flag]) => [name, { ...flag, individual: undefined }]);
  return { ...component, flags: Object.fromEntries(flags), processFlags: Object.keys(processFlags) as ProcessFlag[] };
}

function isCommandLine(flags: Flags<FlagTable>): flags is readonly string[] {
  return Array.isArray(flags);
}

/** `kube-api-qps` → `kubeApiQps` */
function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
