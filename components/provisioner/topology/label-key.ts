const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Why no node label can have this key, and what the driver should have said; `undefined` if one can. */
export function badLabelKey(key: string): string | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const bare = key.slice(slash + 1);
  if (prefix !== undefined && (prefix.length > 253 || !domain.test(prefix))) {
    return `key: Invalid value: "${key}": prefix part must be a lower case domain name of at most 253 characters`;
  }
  if (!name.test(bare)) {
    return `key: Invalid value: "${key}": name part must be 1 to 63 letters, digits, '-', '_' or '.' and begin and end with a letter or digit`;
  }
  return undefined;
}
