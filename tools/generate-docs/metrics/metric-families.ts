import { Registry } from "@csi-sidecars/base/prometheus";
import type { MetricGroup } from "./metric-groups.ts";
import { upstreamProgramsWith } from "./upstream-programs.ts";

/** A metric as the program defines it. */
export interface MetricFamily {
  readonly name: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: string;
  readonly labels: readonly string[];
  /** As the help text begins; empty where it says nothing. */
  readonly stability: string;
  readonly help: string;
  /** Upstream's programs that have it. */
  readonly upstream: readonly string[];
}

/** The metrics that a group defines, in the order of their names. */
export function familiesOf({ define }: Pick<MetricGroup, "define">): readonly MetricFamily[] {
  const registry = new Registry();
  define(registry);
  return registry
    .getMetricsAsArray()
    .map((metric) => {
      const [, stability = "", help = ""] = /^(?:\[(\w+)\] )?(.*)$/.exec(metric.help) ?? [];
      const { name } = metric;
      return { name, type: String(metric.type), labels: labelsOf(metric), stability, help, upstream: upstreamProgramsWith(name) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** prom-client keeps them, but does not declare them. */
function labelsOf(metric: object): readonly string[] {
  const { labelNames = [] } = metric as { readonly labelNames?: readonly string[] };
  return [...labelNames].sort();
}
