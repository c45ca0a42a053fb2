import { diskRows } from "./disk-rows.ts";
import { filesystemRows, smbRows } from "./file-rows.ts";
import type { MethodRow } from "./method-row.ts";
import { iscsiRows, systemRows } from "./service-rows.ts";
import { volumeRows } from "./volume-rows.ts";

/** The whole API, written down once more from its specification: 139 methods. */
export const methodTable: readonly (MethodRow & { readonly version: string })[] = [
  diskRows,
  volumeRows,
  filesystemRows,
  smbRows,
  iscsiRows,
  systemRows,
]
  .flat()
  .flatMap((row) => row.versions.map((version) => ({ ...row, version })));
