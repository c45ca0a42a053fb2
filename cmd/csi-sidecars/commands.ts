import { dictionary } from "@csi-sidecars/base";
import { type CommandTable, commonCommands, volumeCommands } from "@csi-sidecars/diagnose/commands";
import type { StartReport } from "@csi-sidecars/host";
import { components } from "./components.ts";

export const commands: CommandTable = dictionary({ ...commonCommands, ...volumeCommands(components) });

/** Loaded when it runs, as the commands are. */
export const startReport: StartReport = async (input, log) => {
  const report = await import("@csi-sidecars/diagnose/start-report");
  await report.startReport(input, log);
};
