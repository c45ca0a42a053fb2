import { type Clock, type Logger, systemClock } from "@csi-sidecars/base";
import { Channel, GrpcServer, type PluginInfo, RegistrationDefinition, serviceClient } from "@csi-sidecars/csi";

export interface RegistrationServerOptions {
  readonly info: PluginInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly asked: () => void;
  readonly registered: () => void;
  /** Returns `true` if kubelet is to get no response, as from a process that exits. */
  readonly refused: (error: string) => boolean;
}

/** The answer to GetInfo. */
export function pluginInfo(name: string, endpoint: string): PluginInfo {
  return { type: "CSIPlugin", name, endpoint, supportedVersions: ["1.0.0"] };
}

/** Serves kubelet's plugin registration protocol; it answers whether or not the driver is up. */
export function registrationServer({ info, clock, log, asked, registered, refused }: RegistrationServerOptions): GrpcServer {
  return new GrpcServer({ clock, log }).serve(RegistrationDefinition, {
    getInfo(request) {
      log.v(4).info("Received GetInfo call", { request });
      asked();
      return info;
    },
    notifyRegistrationStatus(status, { abandon }) {
      log.info("Received NotifyRegistrationStatus call", { status });
      if (status.pluginRegistered) registered();
      else if (refused(status.error)) abandon();
      return {};
    },
  });
}

export interface GetInfoOptions {
  readonly path: string;
  readonly connectMs: number;
  readonly callMs: number;
  readonly clock?: Clock;
}

/** What GetInfo returned, or the step that failed. */
export type GetInfoResult =
  | { readonly step: "done"; readonly info: PluginInfo }
  | { readonly step: "connect" | "call"; readonly error: unknown };

/** Calls GetInfo on a registration socket as kubelet does: through the file system, over a connection of its own. */
export async function getInfo({ path, connectMs, callMs, clock = systemClock }: GetInfoOptions): Promise<GetInfoResult> {
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
