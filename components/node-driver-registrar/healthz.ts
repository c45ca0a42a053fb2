import { type Clock, messageOf } from "@csi-sidecars/base";
import type { Answer } from "@csi-sidecars/host";
import { getInfo } from "./registration-service.ts";
import { type FileIdentity, socketAt } from "./registration-socket.ts";

export interface CheckRegistrationOptions {
  readonly path: string;
  readonly driverName: string;
  readonly timeoutMs: number;
  /** What kubelet said when it last refused, or why the socket could not be created. */
  readonly lastError: string | undefined;
  readonly clock: Clock;
}

/** On top of the time limit of the call; kubelet's probe would give up long before upstream's 30 s. */
const connectExtraMs = 1_000;

/** Answers `/healthz`: whether kubelet would find the driver's registration, checked by a GetInfo call through the socket itself. */
export async function checkRegistration({ path, driverName, timeoutMs, lastError, clock }: CheckRegistrationOptions): Promise<Answer> {
  let found: FileIdentity | undefined;
  try {
    found = await socketAt(path);
  } catch (error) {
    return { status: 500, body: messageOf(error) };
  }
  if (!found) {
    const because = lastError === undefined ? "" : `: ${lastError}`;
    return { status: 404, body: `registration socket does not exist${because}` };
  }
  const answer = await getInfo({ path, connectMs: timeoutMs + connectExtraMs, callMs: timeoutMs, clock });
  switch (answer.step) {
    case "connect":
      return { status: 500, body: `error connecting to node-registrar socket ${path}: context deadline exceeded` };
    case "call":
      return { status: 500, body: `error getting info from node-registrar socket: ${answer.error}` };
    case "done":
      return answer.info.name === driverName
        ? { status: 200, body: "ok" }
        : { status: 500, body: `invalid driver name ${answer.info.name}` };
  }
}
