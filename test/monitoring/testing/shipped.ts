import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { monitoringFolder } from "../../../tools/generate-deploy/monitoring.ts";

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const read = (file: string) => readFileSync(join(monitoringFolder, file), "utf8");

export const rules = (parse(read("csi-sidecars.rules.yaml")) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

export const dashboard: {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string; readonly allValue?: string }[] };
} = JSON.parse(read("csi-sidecars.dashboard.json"));

export const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr: withoutVariables(expr), legendFormat })),
);

/** With values in place of Grafana's variables. */
function withoutVariables(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$\w+/g, ".*");
}
