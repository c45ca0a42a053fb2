// `npm run generate:deploy`: writes deploy/kubernetes/rbac.yaml and the CustomResourceDefinitions in deploy/kubernetes/crds.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitionFiles, definitionsFolder } from "./definitions.ts";
import { exampleRoles, manifestsFolder } from "./manifests.ts";

writeFileSync(join(manifestsFolder, "rbac.yaml"), exampleRoles());

rmSync(definitionsFolder, { recursive: true, force: true });
mkdirSync(definitionsFolder);
for (const [name, text] of definitionFiles()) writeFileSync(join(definitionsFolder, name), text);
