// `npm run generate:deploy`: writes what is generated in deploy: every rbac.yaml, the CustomResourceDefinitions, and in the charts the
// versions, schemas, definitions and what the templates know of the programs, and the alert rules as an object.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chartFiles, chartsFolder } from "./chart-files.ts";
import { clusterPrograms, rolesFileOf, rolesOf } from "./cluster-programs.ts";
import { definitionFiles, definitionsFolder } from "./definitions.ts";
import { drivers, driversFolder, translated } from "./driver-manifests.ts";
import { exampleRoles, manifestsFolder } from "./manifests.ts";
import { monitoringFolder, prometheusRule } from "./monitoring.ts";

writeFileSync(join(manifestsFolder, "rbac.yaml"), exampleRoles());
for (const program of clusterPrograms) writeFileSync(rolesFileOf(program), rolesOf(program));

rmSync(definitionsFolder, { recursive: true, force: true });
mkdirSync(definitionsFolder);
for (const [name, text] of definitionFiles()) writeFileSync(join(definitionsFolder, name), text);

for (const [path, text] of chartFiles()) {
  const file = join(chartsFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

for (const driver of drivers) writeFileSync(join(driversFolder, driver, "after.yaml"), translated(driver));

writeFileSync(join(monitoringFolder, "prometheus-rule.yaml"), prometheusRule());
