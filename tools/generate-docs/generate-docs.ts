// `npm run generate:docs`: writes docs/flags.md and docs/metrics.md, and the snapshots of flags and permissions in release/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { writeSnapshots } from "../release/snapshots.ts";
import { flagsPage } from "./flags-page.ts";
import { metricGroups } from "./metrics/metric-groups.ts";
import { metricsPage } from "./metrics/metrics-page.ts";
import { separatePrograms } from "./separate-programs.ts";

const root = join(import.meta.dirname, "../..");
writeFileSync(join(root, "docs/flags.md"), flagsPage({ form: "all-in-one", name: "csi-sidecars", components, separate }, separatePrograms));
writeFileSync(join(root, "docs/metrics.md"), metricsPage(metricGroups));
writeSnapshots(root);
