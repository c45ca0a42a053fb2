// `npm run generate:docs`: writes docs/flags.md.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { flagsPage } from "./flags-page.ts";
import { separatePrograms } from "./separate-programs.ts";

writeFileSync(
  join(import.meta.dirname, "../../docs/flags.md"),
  flagsPage({ form: "all-in-one", name: "csi-sidecars", components, separate }, separatePrograms),
);
