import { component, gate, sidecarFlagNames } from "@csi-sidecars/host";
import { finalizerName, publishCapabilities } from "./driver-capabilities.ts";
import { attacherFlags } from "./flags.ts";
import { attacherOperations, attacherRemedies } from "./messages.ts";
import { attacherRules } from "./rbac.ts";
import { startAttacher } from "./start.ts";

/** external-attacher: carries out VolumeAttachments by calling ControllerPublishVolume and ControllerUnpublishVolume. */
export const attacher = component({
  name: "attacher",
  standalone: "csi-attacher",
  upstreamVersion: "v4.12.0",
  aliases: ["csi-attacher", "external-attacher"],
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  flags: attacherFlags,
  processFlags: [...sidecarFlagNames, "feature-gates", "max-grpc-log-length"],
  gates: {
    MutableCSINodeAllocatableCount: gate(true, "GA", "Store the driver's gRPC code with an attach error (attachError.errorCode)."),
  },
  legacyLease: (driver) => `external-attacher-leader-${driver}`,
  operations: attacherOperations,
  remedies: attacherRemedies,
  identityTimeoutMs: () => 1_000,
  volumeFinalizer: async ({ name, capabilities }) => ((await publishCapabilities(capabilities)) ? finalizerName(name) : undefined),
  rbac: () => attacherRules,
  start: startAttacher,
});
