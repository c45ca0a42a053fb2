import { aboveZero, type ComponentContext, duration, type FlagTable, int, klogFlags, kubeApiFlags, notBelowZero } from "@csi-sidecars/host";

/** The flags that upstream's validator has of its own, with its defaults, those of klog, and those that it lacks. */
export const validatorFlags = {
  "worker-threads": int(10, "How many claims that need a volume populator are worked on at the same time.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  "warning-delay": duration(
    "2s",
    "How long the VolumePopulator of a claim may be missing before a warning: both may be created together, and one may be replaced.",
    { check: notBelowZero, individual: false },
  ),
  "kube-api-qps": { ...kubeApiFlags["kube-api-qps"], individual: false },
  "kube-api-burst": { ...kubeApiFlags["kube-api-burst"], individual: false },
  ...klogFlags,
} satisfies FlagTable;

export type ValidatorComponentContext = ComponentContext<typeof validatorFlags>;
