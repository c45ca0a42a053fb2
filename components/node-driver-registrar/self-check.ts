import { type Clock, messageOf } from "@csi-sidecars/base";
import type { Answer } from "@csi-sidecars/host";
import { askInfo } from "./ask-info.ts";
import { type FileIdentity, socketAt } from "./socket-file.ts";

export interface SelfCheckOptions {
  readonly path: string;
  readonly driverName: string;
  readonly timeoutMs: number;
  /** What kubelet said when it last refused, or why the socket could not be made. */
  readonly lastError: string | undefined;
  readonly clock: Clock;
}

/** Beyond the limit of the call: kubelet's probe would have given up long before upstream's 30 s. */
const connectExtraMs = 1_000;

/** Whether kubelet would find the driver's registration: asked through the socket itself, for anything less proves nothing. */
export async function selfCheck({ path, driverName, timeoutMs, lastError, clock }: SelfCheckOptions): Promise<Answer> {
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
  const answer = await askInfo({ path, connectMs: timeoutMs + connectExtraMs, callMs: timeoutMs, clock });
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
