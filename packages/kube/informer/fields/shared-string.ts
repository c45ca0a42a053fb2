import { dictionary } from "@csi-sidecars/base";

const nothing = dictionary<never>();

/**
 * A string that shares its characters with every equal one that went through here, of whatever kind and field: a claim's uid is in its
 * volume too, and a volume's name in its claim and its attachment. JavaScriptCore keeps one copy of the characters of all strings that
 * were used as keys, found or not, as long as one of them lives; a string from JSON takes 100 bytes for a uid. Nothing is remembered here.
 */
export function sharedString(value: string): string {
  return value in nothing ? "" : value;
}
