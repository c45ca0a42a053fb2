import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { programsTemplate } from "./chart-programs.ts";
import { chartSchemas } from "./chart-schemas.ts";
import { definitionFiles } from "./definitions.ts";

/** The folder of the charts. */
export const chartsFolder = join(import.meta.dirname, "../../deploy/charts");

/** The charts that are released with the programs; the others use them and have versions of their own. */
const released = ["csi-sidecars", "csi-hostpath", "snapshot-controller"];
const applications = ["csi-hostpath", "example-driver", "snapshot-controller"];

/** What is generated in the charts: the texts of the files by their paths below the folder. */
export function chartFiles(): ReadonlyMap<string, string> {
  const { version } = JSON.parse(readFileSync(join(chartsFolder, "../../package.json"), "utf8"));
  const schemas = [...chartSchemas].map(
    ([chart, schema]) => [`${chart}/values.schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`] as const,
  );
  const charts = [...new Set([...released, ...applications])].map((chart) => [`${chart}/Chart.yaml`, chartYaml(chart, version)] as const);
  const definitions = [...definitionFiles()]
    .filter(([file]) => /(^|\.)snapshot|groupsnapshot/.test(file))
    .map(([file, text]) => [`snapshot-controller/files/crds/${file}`, text] as const);
  return new Map([...charts, ...schemas, ["csi-sidecars/templates/_programs.tpl", programsTemplate(version)], ...definitions]);
}

/** The chart's own description, with the version of this repository. */
function chartYaml(chart: string, version: string): string {
  const document = parseDocument(readFileSync(join(chartsFolder, chart, "Chart.yaml"), "utf8"));
  if (released.includes(chart)) {
    document.set("version", version);
    document.set("appVersion", `v${version}`);
  }
  if (applications.includes(chart)) document.setIn(["dependencies", 0, "version"], version);
  return document.toString({ lineWidth: 0 });
}
