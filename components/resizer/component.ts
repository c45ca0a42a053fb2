import { component, gate, sidecarFlagNames } from "@csi-sidecars/host";
import { VolumeAttributesClass } from "@csi-sidecars/kube";
import { unsupportedDriver } from "./driver-capabilities.ts";
import { resizerOperations, resizerRemedies } from "./event-reasons.ts";
import { resizerFlags } from "./flags.ts";
import { resizerRules } from "./rbac.ts";
import { startResizer } from "./start.ts";

/** external-resizer: expands volumes with ControllerExpandVolume, and modifies them with ControllerModifyVolume. */
export const resizer = component({
  name: "resizer",
  standalone: "csi-resizer",
  upstreamVersion: "v2.2.1",
  aliases: ["csi-resizer", "external-resizer"],
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  flags: resizerFlags,
  processFlags: [...sidecarFlagNames, "feature-gates", "master"],
  gates: {
    AnnotateFsResize: gate(true, "beta", "Keep the size of the file system in an annotation of a volume that the node has yet to expand."),
    RecoverVolumeExpansionFailure: gate(true, "GA", "Let users retry with a smaller size when an expansion fails."),
    VolumeAttributesClass: gate(true, "GA", "Modify volumes whose claim names another VolumeAttributesClass.", {
      needs: VolumeAttributesClass,
    }),
  },
  legacyLease: (driver) => `external-resizer-${driver}`,
  operations: resizerOperations,
  remedies: resizerRemedies,
  identityTimeoutMs: ({ timeout }) => timeout,
  unsupported: ({ driver, flags }) => unsupportedDriver(driver, { timeoutMs: flags.timeout }),
  rbac: resizerRules,
  start: startResizer,
});
