import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { HostpathControl } from "../driver/driver.ts";
import type { Playground } from "../playground.ts";
import type { SupervisedProcess } from "../processes/supervised-process.ts";
import { waitUntil } from "../wait-until.ts";
import { boundVolume, createClaim, demoClass, inDefault, present, type Step } from "./step.ts";

/** The driver is killed and comes back. A claim waits for it. */
export const driverKilled = (playground: Playground, process: SupervisedProcess): readonly Step[] => [
  {
    title: 'Kill the driver (SIGKILL) and create the claim "waiting" while it is down',
    async act() {
      await process.stop("SIGKILL");
      await createClaim(playground, "waiting", demoClass);
    },
    expected: "the sidecar to report the missing driver, and the claim to wait",
    async check() {
      const health = await playground.sidecar.status("/healthz");
      const claim = await present(playground, PersistentVolumeClaim, inDefault("waiting"));
      return health === 500 && claim?.status?.phase === "Pending" ? "/healthz answers 500, the claim is Pending" : undefined;
    },
  },
  {
    title: "Start the driver again",
    act: async () => process.start(),
    expected: "the claim bound and the sidecar healthy",
    async check() {
      const name = await boundVolume(playground, "waiting");
      return name && (await playground.sidecar.status("/healthz")) === 200 ? `/healthz answers 200, bound to ${name}` : undefined;
    },
  },
];

const claimName = "interrupted";

/** The sidecar is killed after the driver created the volume and before it answered: its successor must find that volume, not create another. */
export const sidecarKilledDuringCreate = (playground: Playground, control: HostpathControl): Step => ({
  title: `Create the claim "${claimName}" and kill the sidecar (SIGKILL) when the driver has created the volume but not answered yet`,
  async act(signal) {
    await control.setRules([{ method: "CreateVolume", phase: "after", times: 1, action: { hang: true } }]);
    await createClaim(playground, claimName, demoClass);
    const underWay = async () => (await control.calls("CreateVolume")).find(({ endNs }) => endNs === undefined);
    await waitUntil("CreateVolume under way", underWay, { signal });
    await playground.sidecar.process.kill();
  },
  expected: "the claim bound to the volume, and no second volume",
  async check() {
    const name = await boundVolume(playground, claimName);
    if (name === undefined) return undefined;
    const made = (await control.volumes()).filter((volume) => volume.name === name).length;
    const asked = (await control.calls("CreateVolume")).filter(({ request }) => request.name === name).length;
    return made === 1 && asked > 1 ? `bound to ${name}; CreateVolume called ${asked} times, one volume created` : undefined;
  },
});

/** The same with a driver whose answer cannot be delayed: the moment of the kill is random, the recovery is not. */
export function sidecarKilled(playground: Playground): Step {
  const { driver, sidecar } = playground;
  let before: number | undefined;
  let killed: number | undefined;
  return {
    title: `Create the claim "${claimName}" and kill the sidecar (SIGKILL) at once`,
    async act() {
      before = (await driver.volumeIds())?.size;
      killed = sidecar.process.pid;
      await createClaim(playground, claimName, demoClass);
      await sidecar.process.kill();
    },
    expected: "a new process to bind the claim, and one more volume in the driver",
    async check() {
      const name = await boundVolume(playground, claimName);
      if (name === undefined || sidecar.process.pid === killed) return undefined;
      const after = (await driver.volumeIds())?.size;
      if (before === undefined || after === undefined) return `bound to ${name}`;
      return after === before + 1 ? `bound to ${name}; one volume created` : undefined;
    },
  };
}
