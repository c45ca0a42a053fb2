import { Code, GrpcError } from "@csi-sidecars/csi";
import { type Request, type ScriptedDriver, step } from "@csi-sidecars/testcluster";

/** Lets the next call for a new volume find no room. A volume that is there, or may be in the making, is never denied. */
export function noRoomOnce(driver: ScriptedDriver): void {
  const answer = (request: Request<"CreateVolume">, carryOut: () => object) => {
    const running = driver.calls("CreateVolume").filter((call) => call.request.name === request.name && call.endedAt === undefined);
    if (driver.volumeNamed(request.name) || running.length > 1) return carryOut();
    throw new GrpcError(Code.ResourceExhausted, "no room there");
  };
  driver.script("CreateVolume", step.reply(answer) as never);
}
