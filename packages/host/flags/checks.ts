/** The check of numbers of workers and of times that cannot be nothing, in upstream's words. */
export function aboveZero(value: number, name: string): string | undefined {
  return value > 0 ? undefined : `Option -${name} must be greater than zero`;
}

/** The check of names of objects and namespaces; nothing stands for a default. */
export function objectName(value: string, name: string): string | undefined {
  if (value === "" || /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)) return undefined;
  return `invalid value ${JSON.stringify(value)} for flag --${name}: a name has lower case letters, digits, dashes and dots only`;
}

/** The check of paths of an HTTP server. */
export function urlPath(value: string, name: string): string | undefined {
  return value.startsWith("/") ? undefined : `--${name}: ${JSON.stringify(value)} is no path: write /${value || "metrics"}`;
}

/** The check of numbers and times that may be nothing. */
export function notBelowZero(value: number, name: string): string | undefined {
  return value >= 0 ? undefined : `Option -${name} must not be negative`;
}
