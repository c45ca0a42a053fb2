import { secondsSince } from "@csi-sidecars/base";
import { apiCallOptions, type SecretRef } from "@csi-sidecars/controller";
import type { ControllerPublishVolumeRequest, ControllerUnpublishVolumeRequest } from "@csi-sidecars/csi";
import { readSecretText } from "@csi-sidecars/kube";
import type { AttacherContext } from "./attacher-context.ts";
import { messages } from "./messages.ts";

/** A call that is planned. Its secret is read right before it is made. */
interface PlannedCall<Request extends { readonly secrets: unknown }> {
  readonly request: Omit<Request, "secrets">;
  readonly secret: SecretRef | undefined;
  /** Whether the volume is one of the in-tree plugin that the driver replaced, for the metrics. */
  readonly migrated: boolean;
}

export type PublishCall = PlannedCall<ControllerPublishVolumeRequest>;
export type UnpublishCall = PlannedCall<ControllerUnpublishVolumeRequest>;
export type PublishContext = Readonly<Record<string, string>>;
export type Secrets = Readonly<Record<string, string>>;

type CallContext = Pick<AttacherContext, "csiController" | "kube" | "timeoutMs" | "log">;

/** Read for each call and never kept: somebody may rotate it between two attempts. */
export async function readPublishSecret({ kube }: CallContext, ref: SecretRef | undefined, signal: AbortSignal): Promise<Secrets> {
  if (!ref) return {};
  const describe = (cause: string) => messages.secretUnreadable(`${ref.namespace}/${ref.name}`, cause);
  return readSecretText(kube, ref, apiCallOptions(signal), describe);
}

/** After any failure the volume may be attached: the attachment keeps its finalizer and the call is retried. */
export async function publishVolume(c: CallContext, call: PublishCall, secrets: Secrets, signal: AbortSignal): Promise<PublishContext> {
  const { timeoutMs, log } = c;
  const { request, migrated } = call;
  const options = { timeoutMs, signal, log, migrated };
  return (await c.csiController.controllerPublishVolume({ ...request, secrets }, options)).publishContext;
}

/** After any failure the volume may still be attached. */
export async function unpublishVolume(c: CallContext, call: UnpublishCall, signal: AbortSignal): Promise<void> {
  const secrets = await readPublishSecret(c, call.secret, signal);
  const { timeoutMs, log } = c;
  const { request, migrated } = call;
  await c.csiController.controllerUnpublishVolume({ ...request, secrets }, { timeoutMs, signal, log, migrated });
}

/** The one line about an attachment that went well. `started`: when its reconcile began. */
export function logDone(
  { log, clock }: Pick<AttacherContext, "log" | "clock">,
  what: "Attached" | "Detached",
  { volumeId, nodeId }: { readonly volumeId: string; readonly nodeId: string },
  { attachment, started }: { readonly attachment: string; readonly started: number },
): void {
  log.v(2).info(what, { attachment, volumeId, nodeId, seconds: secondsSince(clock, started) });
}
