import { type Request, type ScriptedDriver, step } from "@csi-sidecars/testcluster";

const gib = 2n ** 30n;

/** `40Gi` and its bytes. */
export const size = (count: number) => `${count}Gi`;
export const bytes = (count: number) => BigInt(count) * gib;

/** Volumes begin with the first, users wish for sizes between the others, and settle for one that no volume has had before. */
export const sizes = { initial: 1, wished: [2, 40], infeasible: [200, 400], final: [50, 60], largest: 100 } as const;

/** How a volume is expanded: also while it is in use; only while it is not; without the node. */
export const expansions = ["online", "offline", "online", "without node"] as const;
export type VolumeExpansion = (typeof expansions)[number];

/** The classes, by the parameter `tier` that makes them. The driver refuses one; another one is created late. */
export const tiers = { feasible: ["gold", "silver", "bronze"], refused: "impossible", late: "late" } as const;

export function tierOf(driver: ScriptedDriver, volumeId: string): string | undefined {
  return driver.volumes.get(volumeId)?.mutableParameters.tier;
}

export function expansionOf(driver: ScriptedDriver, volumeId: string): VolumeExpansion {
  return driver.volumes.get(volumeId)?.parameters.expansion as VolumeExpansion;
}

type Call = Request<"ControllerExpandVolume"> | Request<"ControllerModifyVolume">;

/** How calls end otherwise than the driver means it: each for as many of 100 calls as it is here. */
const faults = [
  ...Array(8).fill(step.lost),
  ...Array(4).fill(step.lostBefore),
  ...Array(4).fill(step.fail("DeadlineExceeded", "still working", { effect: true })),
  ...Array(3).fill(step.fail("Aborted", "another operation is pending")),
  ...Array(3).fill(step.fail("Internal", "not today")),
  ...Array(2).fill(step.hangAfter),
] as readonly (typeof step.lost)[];

/**
 * Makes the driver refuse sizes that are too large, the impossible class, and offline volumes in use, and fail at random.
 * Returns how to end the random failures.
 */
export function scriptDriver(driver: ScriptedDriver, random: () => number, isInUse: (volumeId: string) => boolean): { calm(): void } {
  let calm = false;
  const disturbed = <S>(meant: S) => (calm ? undefined : faults[Math.floor(random() * 100)]) ?? meant;
  const delayed = <S>(next: S) => step.delay(1 + random() * 60, next);
  driver.always(
    "ControllerExpandVolume",
    step.choose(({ volumeId }: Call) => {
      const expansion = expansionOf(driver, volumeId);
      if (expansion === "offline" && isInUse(volumeId)) return delayed(step.fail("FailedPrecondition", "the volume is in use"));
      const answer = (_: unknown, carryOut: () => object) => ({ ...carryOut(), nodeExpansionRequired: expansion !== "without node" });
      return delayed(disturbed(step.reply(answer)));
    }) as never,
  );
  driver.always(
    "ControllerModifyVolume",
    step.choose(({ mutableParameters }: Request<"ControllerModifyVolume">) => {
      if (mutableParameters.tier === tiers.refused) return delayed(step.fail("InvalidArgument", "there is no such tier"));
      return delayed(disturbed(step.act));
    }) as never,
  );
  return {
    calm() {
      calm = true;
    },
  };
}
