/**
 * Writes the PowerShell scripts of packages/csi-proxy into a folder, one file per operation and `session-host.ps1`, to read them or to
 * run them by hand: `bun tools/write-powershell-scripts.ts <folder>`. `tools/windows-check.ps1` runs what this wrote.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OperationId, operations } from "../packages/csi-proxy/powershell/catalogue.ts";
import { scriptOf } from "../packages/csi-proxy/powershell/scripts/script-of.ts";
import { sessionHostScript } from "../packages/csi-proxy/powershell/scripts/session-host-script.ts";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: bun tools/write-powershell-scripts.ts <folder>");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const op of Object.keys(operations) as OperationId[]) writeFileSync(join(folder, `${op}.ps1`), scriptOf(op));
writeFileSync(join(folder, "session-host.ps1"), sessionHostScript());
