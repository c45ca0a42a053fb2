import { Code, GrpcError } from "@csi-sidecars/csi";
import { type Request, type ScriptedDriver, step } from "@csi-sidecars/testcluster";

const claimName = "csi.storage.k8s.io/pvc/name";

/**
 * Lets the next call for a new volume of such a claim find no room. A volume that is there, or may be in the making, is never denied. The
 * program must be told to name claims (`--extra-create-metadata`).
 */
export function noRoomOnce(driver: ScriptedDriver, isMeant: (claim: string) => boolean): void {
  const answer = (request: Request<"CreateVolume">, carryOut: () => object) => {
    const running = driver.calls("CreateVolume").filter((call) => call.request.name === request.name && call.endedAt === undefined);
    if (driver.volumeNamed(request.name) || running.length > 1) return carryOut();
    if (!isMeant(request.parameters[claimName] ?? "")) {
      noRoomOnce(driver, isMeant);
      return carryOut();
    }
    throw new GrpcError(Code.ResourceExhausted, "no room there");
  };
  driver.script("CreateVolume", step.reply(answer) as never);
}
