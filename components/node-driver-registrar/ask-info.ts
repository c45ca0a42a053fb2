import { type Clock, systemClock } from "@csi-sidecars/base";
import { Channel, type PluginInfo, RegistrationDefinition, serviceClient } from "@csi-sidecars/csi";

export interface AskInfoOptions {
  readonly path: string;
  readonly connectMs: number;
  readonly callMs: number;
  readonly clock?: Clock;
}

/** Which step of asking failed. */
export type InfoAnswer =
  | { readonly step: "done"; readonly info: PluginInfo }
  | { readonly step: "connect" | "call"; readonly error: unknown };

/** Asks a registration socket as kubelet does: over the file system, with a connection of its own. */
export async function askInfo({ path, connectMs, callMs, clock = systemClock }: AskInfoOptions): Promise<InfoAnswer> {
  const channel = new Channel({ target: { kind: "unix", path }, clock });
  const late = new AbortController();
  const timer = clock.after(connectMs, () => late.abort());
  let step: "connect" | "call" = "connect";
  try {
    await channel.acquire(true, late.signal);
    step = "call";
    const info = await serviceClient(RegistrationDefinition, channel).getInfo({}, { timeoutMs: callMs });
    return { step: "done", info };
  } catch (error) {
    return { step, error };
  } finally {
    timer.cancel();
    channel.close();
  }
}
