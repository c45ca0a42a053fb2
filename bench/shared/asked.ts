/** A request as the server saw it. */
export interface Asked {
  /** Verb and resource: "patch volumeattachments/status". */
  readonly what: string;
  readonly verb: string;
  readonly resource: string;
  readonly code: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What is counted of a request, from an audit log or from the embedded server's own. */
export function askedOf({ subresource, ...rest }: Omit<Asked, "what"> & { readonly subresource: string }): Asked {
  const { verb, resource, code, at } = rest;
  return { what: `${verb} ${resource}${subresource && `/${subresource}`}`, ...{ verb, resource, code, at } };
}

/** How many there were of each. */
export function countBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(items, key)].map(([name, group]) => [name, group.length]));
}
