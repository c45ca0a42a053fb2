import { attacher } from "@csi-sidecars/attacher";
import { healthMonitor } from "@csi-sidecars/health-monitor";
import type { Component } from "@csi-sidecars/host";
import { livenessprobe } from "@csi-sidecars/livenessprobe";
import { nodeDriverRegistrar } from "@csi-sidecars/node-driver-registrar";
import { provisioner } from "@csi-sidecars/provisioner";
import { resizer } from "@csi-sidecars/resizer";
import { snapshotter } from "@csi-sidecars/snapshotter";
import { volumeDataSourceValidator } from "@csi-sidecars/volume-data-source-validator";

/** What `--controllers` can select. */
export const components: readonly Component[] = [
  attacher,
  provisioner,
  resizer,
  snapshotter,
  healthMonitor,
  livenessprobe,
  nodeDriverRegistrar,
  volumeDataSourceValidator,
];

/** Programs of their own that users may look for in `--controllers`. */
export const separate = [
  { name: "snapshot-controller", where: "one for each cluster" },
  {
    name: "snapshot-webhook",
    aliases: ["snapshot-conversion-webhook", "snapshot-validation-webhook", "csi-snapshot-validation-webhook"],
    where: "one for each cluster",
  },
  { name: "csi-snapshot-metadata", where: "which stays in the pods of the driver" },
  { name: "csi-proxy", where: "one for each Windows node" },
];
