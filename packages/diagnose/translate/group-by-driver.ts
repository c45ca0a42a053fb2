import { type LegacySidecar, socketOf } from "./legacy-sidecar.ts";

/** The sidecars of one driver, whom one process can replace. */
export interface DriverGroup<T> {
  /** Absent where none of them talks to a driver. */
  readonly socket: string | undefined;
  readonly members: readonly T[];
}

/** A process talks to one driver, and runs each controller once. Who talks to none comes to those of the first. */
export function groupByDriver<T extends { readonly sidecar: LegacySidecar }>(
  sidecars: readonly T[],
  warnings: string[],
): readonly DriverGroup<T>[] {
  const sockets = [...new Set(sidecars.flatMap(({ sidecar }) => socketOf(sidecar) ?? []))];
  const [first, ...others] = sockets;
  return [first, ...others].map((socket) => {
    const members: T[] = [];
    for (const each of sidecars.filter(({ sidecar }) => (socketOf(sidecar) ?? first) === socket)) {
      const { name, component } = each.sidecar;
      const twin = members.find(({ sidecar }) => sidecar.component === component);
      if (twin)
        warnings.push(
          `${name} is left as it is: ${twin.sidecar.name} is a ${component.standalone} too, and a process runs each controller once`,
        );
      else members.push(each);
    }
    return { socket, members };
  });
}
