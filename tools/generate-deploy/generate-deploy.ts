// `npm run generate:deploy`: writes deploy/kubernetes/rbac.yaml.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestsFolder } from "./manifests.ts";
import { exampleRoles } from "./roles.ts";

writeFileSync(join(manifestsFolder, "rbac.yaml"), exampleRoles());
