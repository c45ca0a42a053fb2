import { components } from "../../cmd/csi-sidecars/components.ts";
import { type ControllerSubject, subjectsOf } from "../shared/controller-subject.ts";
import { ourProgram } from "../shared/programs.ts";

/** The name of upstream's program. */
export const peerName = "csi-external-health-monitor-controller";

/** The health monitor, ours in both forms and upstream's where it is there. */
export const healthMonitors = (dist: string, peer: string | undefined) => subjectsOf("health-monitor", dist, peer, peerName);

const ofDrivers = components.filter(({ driver }) => driver !== "none");

/** All components that serve a driver, in one process. `registry` is the folder that kubelet looks for sockets in. */
export function everything(dist: string, registry: string): ControllerSubject {
  return {
    name: `csi-sidecars, all ${ofDrivers.length} for a driver`,
    program: ourProgram(dist, "csi-sidecars"),
    ours: true,
    args: [
      `--controllers=${ofDrivers.map(({ name }) => name).join()}`,
      "--http-endpoint=127.0.0.1:0",
      "--livenessprobe-http-endpoint=127.0.0.1:0",
      "--node-driver-registrar-kubelet-registration-path=/var/lib/kubelet/csi.sock",
      `--node-driver-registrar-plugin-registration-path=${registry}`,
    ],
  };
}

/** The subject with further flags. */
export const withFlags = (subject: ControllerSubject, ...flags: readonly string[]): ControllerSubject => ({
  ...subject,
  args: [...subject.args, ...flags],
});
