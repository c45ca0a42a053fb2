import type { KindNeed } from "@csi-sidecars/host";
import { VolumePopulator } from "@csi-sidecars/kube";

/** Without it, nobody can know which data sources are served. */
export const populatorKinds = [VolumePopulator];

export const validatorKinds: readonly KindNeed[] = [
  {
    kinds: populatorKinds,
    without: "no claims are validated until it is installed",
    remedy: "install its CustomResourceDefinition in deploy/kubernetes/crds, or that of volume-data-source-validator v1.0.1 or later",
  },
];
