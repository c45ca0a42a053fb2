import { refuse } from "../refuse.ts";
import type { Settings } from "../settings.ts";

/** Refuses mutable parameters whose names are not accepted. */
export function checkMutableParameters({ acceptedMutableParameters }: Settings, parameters: Readonly<Record<string, string>>): void {
  if (acceptedMutableParameters.length === 0) return;
  const unknown = Object.keys(parameters).filter((key) => !acceptedMutableParameters.includes(key));
  if (unknown.length > 0) refuse("InvalidArgument", `invalid parameters: [${unknown.join(" ")}]`);
}
