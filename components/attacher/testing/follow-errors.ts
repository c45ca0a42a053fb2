import { type Client, VolumeAttachment } from "@csi-sidecars/kube";

/** Notes every error that was new or gone in a state of an attachment. */
export async function followErrors(admin: Client, errors: string[], signal: AbortSignal): Promise<void> {
  const last = new Map<string, string>();
  try {
    for await (const { type, object } of await admin.watch(VolumeAttachment, { resourceVersion: "0", signal })) {
      if (type !== "ADDED" && type !== "MODIFIED") continue;
      for (const [kind, error] of Object.entries({ attach: object.status?.attachError, detach: object.status?.detachError })) {
        const key = `${object.metadata?.uid}/${kind}`;
        const code = error?.errorCode === undefined ? "" : ` (${error.errorCode})`;
        const text = error ? `${kind}: ${error.message}${code}` : "";
        if (text !== (last.get(key) ?? "")) errors.push(text || `${kind}: none`);
        last.set(key, text);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
