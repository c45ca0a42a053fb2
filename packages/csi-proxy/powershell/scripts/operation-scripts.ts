import type { OperationId } from "../catalogue.ts";
import { diskScripts } from "./disk.ts";
import { filesystemScripts } from "./filesystem.ts";
import { iscsiScripts } from "./iscsi.ts";
import type { OperationScript } from "./operation-script.ts";
import { smbScripts } from "./smb.ts";
import { systemScripts } from "./system.ts";
import { volumeScripts } from "./volume.ts";

/** The script of every operation of the catalogue. */
export const operationScripts: Readonly<Record<OperationId, OperationScript>> = {
  ...diskScripts,
  ...volumeScripts,
  ...filesystemScripts,
  ...smbScripts,
  ...iscsiScripts,
  ...systemScripts,
};
