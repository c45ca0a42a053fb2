import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Supervised } from "../processes/supervised.ts";
import type { Parts } from "../start-parts.ts";
import type { Step } from "./step.ts";
import { boundVolume, createClaim, inDefault, present } from "./story-objects.ts";
import { storyClass } from "./volume-steps.ts";

/** The driver is killed and comes back; a claim waits for it. */
export const driverKilled = (parts: Parts, process: Supervised): readonly Step[] => [
  {
    title: 'Kill the driver (-9), and create the claim "patient" while it is away',
    async act() {
      await process.stop("SIGKILL");
      await createClaim(parts, "patient", storyClass);
    },
    expected: "the sidecar to report the driver's absence, and the claim to wait",
    async look() {
      const health = await parts.sidecar.status("/healthz");
      const patient = await present(parts, PersistentVolumeClaim, inDefault("patient"));
      return health === 500 && patient?.status?.phase === "Pending" ? "/healthz answers 500, the claim is Pending" : undefined;
    },
  },
  {
    title: "Start the driver again",
    act: async () => process.start(),
    expected: "the claim bound and the sidecar healthy",
    async look() {
      const name = await boundVolume(parts, "patient");
      return name && (await parts.sidecar.status("/healthz")) === 200 ? `/healthz answers 200, bound to ${name}` : undefined;
    },
  },
];
