// `npm run generate:deploy`: writes deploy/kubernetes/rbac.yaml.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleRoles, manifestsFolder } from "./manifests.ts";

writeFileSync(join(manifestsFolder, "rbac.yaml"), exampleRoles());
