import type { MessageRemedy } from "@csi-sidecars/host";
import { messages } from "./messages.ts";

/** What to do about a claim that no populator will populate. */
export const validatorRemedies: readonly MessageRemedy[] = [
  {
    messages: [messages.unrecognized],
    remedy: "install the volume populator for that kind with its VolumePopulator object, or correct spec.dataSourceRef",
  },
];
