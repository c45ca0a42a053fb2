import { parseBoolean } from "../parse-boolean.ts";
import { refuse } from "../refuse.ts";
import type { AccessType } from "../state/records.ts";

/** How a snapshot is made, from the parameters of its class. `ignoreFailedRead` says nothing to block volumes. */
export function snapshotOptions(
  { ignoreFailedRead }: Readonly<Record<string, string>>,
  accessType: AccessType,
): { readonly ignoreFailedRead: boolean } {
  if (ignoreFailedRead === undefined || accessType === "block") return { ignoreFailedRead: false };
  const value =
    parseBoolean(ignoreFailedRead) ??
    refuse("InvalidArgument", `parameter ignoreFailedRead: ${JSON.stringify(ignoreFailedRead)} is neither true nor false`);
  return { ignoreFailedRead: value };
}
