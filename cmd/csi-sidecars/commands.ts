import { dictionary } from "@csi-sidecars/base";
import { type CommandTable, commonCommands, migrationCommands, volumeCommands } from "@csi-sidecars/diagnose/commands";
import { buildVersion, type Component, type SidecarProgram, type StartReport } from "@csi-sidecars/host";
import { components, separate } from "./components.ts";

/** All that may be responsible for what a volume or a snapshot waits for, whichever program they run in. */
export async function responsibleComponents(): Promise<readonly Component[]> {
  const { snapshotController } = await import("@csi-sidecars/snapshot-controller");
  return [...components, snapshotController];
}

/** What replaces upstream's sidecars, whichever program was called. */
const allInOne: SidecarProgram = { ...buildVersion, name: "csi-sidecars", form: "all-in-one", components, separate };

export const commands: CommandTable = dictionary({
  ...commonCommands,
  ...volumeCommands(responsibleComponents),
  ...migrationCommands(allInOne),
});

/** Loaded when it runs, as the commands are. */
export const startReport: StartReport = async (input, log) => {
  const report = await import("@csi-sidecars/diagnose/start-report");
  await report.startReport(input, log);
};
