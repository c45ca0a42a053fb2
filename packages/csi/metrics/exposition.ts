import type { MetricObjectWithValues, MetricValue, Registry } from "@csi-sidecars/base/prometheus";

/** The content type of {@link exposition}. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

type Family = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/**
 * A registry as Prometheus text, labels in alphabetical order and `le` last, as Go writes them. A family whose collector
 * fails is left out and reported; the page is always served.
 */
export async function exposition(registry: Registry, onError: (error: unknown) => void = () => {}): Promise<string> {
  const results = await Promise.allSettled(registry.getMetricsAsArray().map((metric) => registry.getSingleMetric(metric.name)?.get()));
  const families = results.flatMap((result) => {
    if (result.status === "fulfilled") return result.value ? [result.value as Family] : [];
    onError(result.reason);
    return [];
  });
  return families
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(renderFamily)
    .join("");
}

function renderFamily({ name, help, type, values }: Family): string {
  const lines = values.map(({ metricName = name, labels, value }) => `${metricName}${renderLabels(labels)} ${renderNumber(value)}\n`);
  return `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function renderLabels(labels: Partial<Record<string, string | number>>): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a === "le" ? 1 : b === "le" ? -1 : a < b ? -1 : 1));
  if (entries.length === 0) return "";
  return `{${entries.map(([name, value]) => `${name}="${escapeValue(String(value))}"`).join(",")}}`;
}

const escapeValue = (value: string): string => value.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');

function renderNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
