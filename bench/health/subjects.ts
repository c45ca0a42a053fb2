import { subjectsOf } from "../shared/controller-subject.ts";

/** The name of upstream's program. */
export const peerName = "csi-external-health-monitor-controller";

/** The health monitor, ours in both forms and upstream's where it is there. */
export const healthMonitors = (dist: string, peer: string | undefined) => subjectsOf("health-monitor", dist, peer, peerName);
