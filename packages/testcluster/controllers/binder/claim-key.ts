import type { Key } from "@csi-sidecars/kube";
import type { Volume } from "../fields.ts";

/** The claim a volume names, by whatever uid; `undefined` for a free volume. */
export function claimKeyOf({ spec }: Volume): Key | undefined {
  const ref = spec?.claimRef;
  return ref ? `${ref.namespace}/${ref.name}` : undefined;
}
