import { fnv1a } from "../topology/fnv.ts";

const base = "external-provisioner";
const longest = 63;
/** Eight digits and two dashes. */
const hashRoom = 10;

/**
 * Who keeps an object: all instances of a central deployment together, or each node's for itself. A label value, so it is shortened where
 * the node's name is too long, in upstream's way: an upgrade finds its objects.
 */
export function managedBy(nodeName?: string): string {
  return nodeName === undefined ? base : joined(base, nodeName);
}

/** `<prefix>-<suffix>` in at most 63 characters, with a hash in the place of what had to go. */
export function joined(prefix: string, suffix: string): string {
  const whole = `${prefix}-${suffix}`;
  if (whole.length <= longest) return whole;
  const room = longest - hashRoom - suffix.length;
  if (room > 0) return `${prefix.slice(0, room)}-${hex(prefix)}-${suffix}`;
  return `${prefix.slice(0, longest - hashRoom + 1)}-${hex(whole)}`;
}

function hex(text: string): string {
  return fnv1a(text).toString(16).padStart(8, "0");
}
