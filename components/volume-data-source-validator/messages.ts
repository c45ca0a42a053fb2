import { message } from "@csi-sidecars/base";

/** What the validator writes into events, in upstream's words: tools match the exact text. */
export const messages = {
  unrecognized: message(() => "The datasource for this PVC does not match any registered VolumePopulator"),
};
