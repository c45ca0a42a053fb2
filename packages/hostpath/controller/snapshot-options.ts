import { refuse } from "../refuse.ts";
import type { AccessType } from "../state/records.ts";

const truths: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true]),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false]),
]);

/** How a snapshot is made, from the parameters of its class. `ignoreFailedRead` says nothing to block volumes. */
export function snapshotOptions(
  { ignoreFailedRead }: Readonly<Record<string, string>>,
  accessType: AccessType,
): { readonly ignoreFailedRead: boolean } {
  if (ignoreFailedRead === undefined || accessType === "block") return { ignoreFailedRead: false };
  const value = truths[ignoreFailedRead];
  if (value === undefined)
    refuse("InvalidArgument", `parameter ignoreFailedRead: ${JSON.stringify(ignoreFailedRead)} is neither true nor false`);
  return { ignoreFailedRead: value ?? false };
}
