import type { Logger } from "@csi-sidecars/base";
import { exposition, expositionType } from "@csi-sidecars/csi";
import type { Registry } from "prom-client";
import type { Routes } from "./routes.ts";

/** Serves a registry in Prometheus' text format; a collector that fails costs its own lines only. */
export function metricsPage(path: string, registry: Registry, log: Logger): Routes {
  return {
    [path]: async () => ({
      status: 200,
      body: await exposition(registry, (error) => log.error(error, "Could not collect a metric")),
      contentType: expositionType,
    }),
  };
}
