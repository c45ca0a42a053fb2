// `npm run generate:docs`: writes docs/flags.md, and the snapshots of flags and permissions in release/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { writeSnapshots } from "../release/snapshots.ts";
import { flagsPage } from "./flags-page.ts";
import { separatePrograms } from "./separate-programs.ts";

const root = join(import.meta.dirname, "../..");
writeFileSync(join(root, "docs/flags.md"), flagsPage({ form: "all-in-one", name: "csi-sidecars", components, separate }, separatePrograms));
writeSnapshots(root);
