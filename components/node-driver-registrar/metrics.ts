import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";

/** The component's own metrics. */
export interface RegistrarMetrics {
  /** kubelet registered the driver, or the socket it did so through is gone. */
  registered(yes: boolean): void;
  refused(): void;
  asked(seconds: number): void;
  recreated(): void;
}

export function registrarMetrics(registry: Registry): RegistrarMetrics {
  const registers = [registry];
  const registered = new Gauge({
    name: "csi_sidecars_driver_registered",
    help: "Whether kubelet said that it registered the driver.",
    registers,
  });
  const refused = new Counter({
    name: "csi_sidecars_driver_registration_failures_total",
    help: "How often kubelet refused the driver.",
    registers,
  });
  const asked = new Gauge({
    name: "csi_sidecars_driver_registration_last_get_info_timestamp_seconds",
    help: "When kubelet, or a health check, last asked who the driver is.",
    registers,
  });
  const recreated = new Counter({
    name: "csi_sidecars_registration_socket_recreations_total",
    help: "How often the registration socket was created again because it had disappeared.",
    registers,
  });
  return {
    registered: (yes) => registered.set(yes ? 1 : 0),
    refused: () => refused.inc(),
    asked: (seconds) => asked.set(seconds),
    recreated: () => recreated.inc(),
  };
}
