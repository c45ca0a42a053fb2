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
  { name: "snapshot-controller" },
  {
    name: "snapshot-webhook",
    aliases: ["snapshot-conversion-webhook", "snapshot-validation-webhook", "csi-snapshot-validation-webhook"],
  },
  { name: "csi-snapshot-metadata" },
  { name: "csi-proxy" },
];
