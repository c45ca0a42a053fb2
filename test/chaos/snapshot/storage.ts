import { type Method, type ScriptedDriver, step } from "@csi-sidecars/testcluster";

/** How calls end otherwise than the driver means it: each for as many of 100 calls as it is here. */
const faults = [
  ...Array(8).fill(step.lost),
  ...Array(4).fill(step.lostBefore),
  ...Array(4).fill(step.fail("DeadlineExceeded", "still working", { effect: true })),
  ...Array(3).fill(step.fail("Aborted", "another operation is pending")),
  ...Array(3).fill(step.fail("Internal", "not today")),
  ...Array(2).fill(step.hangAfter),
] as readonly (typeof step.lost)[];

const methods: readonly Method[] = ["CreateSnapshot", "DeleteSnapshot", "CreateVolumeGroupSnapshot", "DeleteVolumeGroupSnapshot"];

/** Makes the driver slow, and fail at random. Returns how to end that. */
export function scriptDriver(driver: ScriptedDriver, random: () => number): { calm(): void } {
  let calm = false;
  const next = () => (calm ? undefined : faults[Math.floor(random() * 100)]) ?? step.act;
  for (const method of methods) driver.always(method, step.choose(() => step.delay(1 + random() * 150, next())) as never);
  return {
    calm() {
      calm = true;
    },
  };
}
