import { aboveZero, type ComponentContext, type FlagTable, kubeApiFlags, retryFlags, uint } from "@csi-sidecars/host";

export const templateSidecarFlags = {
  "worker-threads": uint(10, "How many volumes are worked on at the same time.", { follows: "worker-threads", check: aboveZero }),
  ...retryFlags,
  ...kubeApiFlags,
} satisfies FlagTable;

export type TemplateSidecarComponentContext = ComponentContext<typeof templateSidecarFlags>;
