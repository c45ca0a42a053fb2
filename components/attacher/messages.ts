import { message } from "@csi-sidecars/base";
import type { MessageRemedy, OperationReport, VolumeOperation } from "@csi-sidecars/host";

/** What the attacher is responsible for. It emits no events: errors are in the status of the VolumeAttachment. */
export const attacherOperations: Readonly<Partial<Record<VolumeOperation, OperationReport>>> = {
  attach: { events: [] },
  detach: { events: [] },
};

/** Messages in `status.attachError` and `status.detachError` that `csi-sidecars why` has a remedy for, in upstream's words. */
export const messages = {
  secretUnreadable: message((secret: string, cause: string) => `failed to load secret "${secret}": ${cause}`),
  csiNodeMissing: message((node: string) => `csinode.storage.k8s.io "${node}" not found`),
  driverNotRegistered: message((node: string, driver: string) => `CSINode ${node} does not contain driver ${driver}`),
} as const;

/** What to do about what the attacher itself finds wrong. */
export const attacherRemedies: readonly MessageRemedy[] = [
  { messages: [messages.secretUnreadable], remedy: "create that secret, or correct the controllerPublishSecretRef that names it" },
  {
    messages: [messages.csiNodeMissing, messages.driverNotRegistered],
    remedy: "check that the node exists, and that the driver's node pod runs and has registered on it",
  },
];
