import type { Logger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { exposition, expositionType } from "@csi-sidecars/csi";
import type { Routes } from "./routes.ts";

/** Serves registries, whose families must differ, in Prometheus' text format; a collector that fails costs its own lines only. */
export function metricsPage(path: string, registries: () => Iterable<Registry>, log: Logger): Routes {
  const onError = (error: unknown) => log.error(error, "Could not collect a metric");
  return {
    [path]: async () => {
      const texts = await Promise.all([...registries()].map((registry) => exposition(registry, onError)));
      return { status: 200, body: texts.join(""), contentType: expositionType };
    },
  };
}
