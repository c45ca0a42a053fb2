import { component, sidecarFlagNames } from "@csi-sidecars/host";
import { templateSidecarFlags } from "./flags.ts";
import { templateSidecarRules } from "./rbac.ts";
import { startTemplateSidecar } from "./start.ts";

/** Marks every volume of the driver with the driver's name. */
export const templateSidecar = component({
  name: "template-sidecar",
  standalone: "csi-template-sidecar",
  leadership: "required",
  kube: true,
  driver: "ready",
  flags: templateSidecarFlags,
  processFlags: [...sidecarFlagNames, "feature-gates"],
  legacyLease: (driver) => `template-sidecar-leader-${driver}`,
  rbac: templateSidecarRules,
  start: startTemplateSidecar,
});
