import type { AuditFilter } from "./facts.ts";

/** Whether a volume id is to be looked at. */
export function counts(id: string, { prefix, ignore }: AuditFilter): boolean {
  return (id.startsWith(prefix) || lastPart(id).startsWith(prefix)) && !ignore.some((pattern) => matches(pattern, id));
}

/** What follows the last separator in ids such as `projects/p/zones/z/disks/pvc-1` or `group#account#share`. */
export function lastPart(id: string): string {
  return id.slice(Math.max(id.lastIndexOf("/"), id.lastIndexOf("#"), id.lastIndexOf(":")) + 1);
}

function matches(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return id === pattern;
  let at = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return id.startsWith(first) && id.endsWith(last) && id.length - last.length >= at;
}
