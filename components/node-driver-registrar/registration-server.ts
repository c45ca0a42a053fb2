import type { Clock, Logger } from "@csi-sidecars/base";
import { GrpcServer, type PluginInfo, RegistrationDefinition } from "@csi-sidecars/csi";

export interface RegistrationServerOptions {
  readonly info: PluginInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly asked: () => void;
  readonly registered: () => void;
  /** `true`: the caller is to get no answer, as from a process that ends. */
  readonly refused: (error: string) => boolean;
}

/** What kubelet is told. */
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
