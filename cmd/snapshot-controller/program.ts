import { commonCommands, describeCommands } from "@csi-sidecars/diagnose/commands";
import { buildVersion, type SidecarProgram } from "@csi-sidecars/host";
import { snapshotController } from "@csi-sidecars/snapshot-controller";

/** One for each cluster, whatever its drivers are: not part of csi-sidecars, which runs beside a driver. */
export const program: SidecarProgram = {
  ...buildVersion,
  name: snapshotController.standalone,
  form: "individual",
  about: "Binds and deletes the snapshots and group snapshots of all drivers: one for each cluster.",
  components: [snapshotController],
  commands: describeCommands(commonCommands),
};
