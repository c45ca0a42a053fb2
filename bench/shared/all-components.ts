import { components } from "../../cmd/csi-sidecars/components.ts";
import type { ControllerSubject } from "./controller-subject.ts";
import { ourProgram } from "./programs.ts";

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
