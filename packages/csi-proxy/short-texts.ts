import { type Fields, messageOf } from "@csi-sidecars/base";

/** Longer than the paths and names that are in use. */
const longest = 4_096;

/** The fields for a log line. Clients may send texts of megabytes: the log of the node is not theirs to fill. */
export function shortFields(fields: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? shortText(value) : value]));
}

/** The same for an error, whose text may repeat what the client sent. */
export function shortError(error: unknown): unknown {
  const text = messageOf(error);
  return text.length <= longest ? error : new Error(shortText(text));
}

function shortText(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}... (${text.length} characters)`;
}
