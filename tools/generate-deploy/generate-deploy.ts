// `npm run generate:deploy`: writes every rbac.yaml in deploy/kubernetes and the CustomResourceDefinitions in deploy/kubernetes/crds.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterPrograms, rolesFileOf, rolesOf } from "./cluster-programs.ts";
import { definitionFiles, definitionsFolder } from "./definitions.ts";
import { exampleRoles, manifestsFolder } from "./manifests.ts";

writeFileSync(join(manifestsFolder, "rbac.yaml"), exampleRoles());
for (const program of clusterPrograms) writeFileSync(rolesFileOf(program), rolesOf(program));

rmSync(definitionsFolder, { recursive: true, force: true });
mkdirSync(definitionsFolder);
for (const [name, text] of definitionFiles()) writeFileSync(join(definitionsFolder, name), text);
