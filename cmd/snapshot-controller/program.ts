import { commonCommands, describeCommands } from "@csi-sidecars/diagnose/commands";
import { buildVersion, type SidecarProgram } from "@csi-sidecars/host";
import { snapshotController } from "@csi-sidecars/snapshot-controller";

/** One for each cluster, whatever its drivers are: not part of csi-sidecars, which runs beside a driver. */
export const program: SidecarProgram = {
  ...buildVersion,
  name: snapshotController.standalone,
  form: "individual",
  components: [snapshotController],
  commands: describeCommands(commonCommands),
};
