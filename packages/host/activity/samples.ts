import type { Registry } from "@csi-sidecars/base/prometheus";

/** One value of a metric. */
export interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The values of these metrics, as a scrape would get them. */
export async function readSamples(registries: Iterable<Registry>, metrics: readonly string[]): Promise<readonly Sample[]> {
  const families = [...registries].flatMap((registry) =>
    metrics.map(async (metric) => ({ metric, family: await registry.getSingleMetric(metric)?.get() })),
  );
  return (await Promise.all(families)).flatMap(({ metric, family }) =>
    (family?.values ?? []).map(({ labels, value }) => ({
      metric,
      labels: Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, String(text)])),
      value,
    })),
  );
}
