import { asError } from "@csi-sidecars/base";
import { type ControllerModifyVolumeRequest, classifyFailure } from "@csi-sidecars/csi";
import { keyOf } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import { isUnreachable, readSecret } from "../secrets.ts";
import type { ModifyContext } from "./modify-context.ts";
import { type Modification, modifyRequest, modifySecret } from "./modify-request.ts";
import type { Answer } from "./modify-state.ts";

/**
 * Calls ControllerModifyVolume, and has the state keep what came of it until that is saved. A request that cannot be made has failed
 * like a call; only an API server that cannot be reached is nothing to tell users.
 */
export async function modifyVolume(c: ModifyContext, modification: Modification, signal: AbortSignal): Promise<Answer> {
  const { claim, volume } = modification;
  const key = claimKey(claim);
  const className = modification.class.metadata.name;
  const wasUncertain = c.state.lastCall(key) === "uncertain";
  const answered = (answer: Answer) => {
    c.state.answered(key, answer);
    // Also what another class was refused for: this answer has a period of its own.
    c.infeasible.delete(key);
    if (answer.outcome === "failed" && answer.infeasible) c.infeasible.add(key, modification.class.metadata.uid);
    return answer;
  };
  const failed = (error: Error, { uncertain = wasUncertain, infeasible = false } = {}) =>
    answered({ outcome: "failed", className, error, uncertain, infeasible });

  let request: ControllerModifyVolumeRequest;
  try {
    request = await completeRequest(c, modification, signal);
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return failed(asError(error));
  }
  const started = c.clock.monotonic();
  try {
    await c.csiController.controllerModifyVolume(request, { timeoutMs: c.timeoutMs, signal, log: c.log });
  } catch (thrown) {
    const failure = classifyFailure("modify", thrown);
    switch (failure.kind) {
      case "final":
        return failed(failure.error, { uncertain: false, infeasible: failure.infeasible });
      case "uncertain":
        return failed(failure.error, { uncertain: true });
      case "transient":
        return failed(failure.error);
    }
  }
  const durationMs = Math.round(c.clock.monotonic() - started);
  c.log.v(4).info("Modified the volume", { claim: keyOf(claim), volume: volume.metadata.name, class: className, durationMs });
  return answered({ outcome: "modified", className });
}

async function completeRequest(c: ModifyContext, modification: Modification, signal: AbortSignal): Promise<ControllerModifyVolumeRequest> {
  const request = modifyRequest(modification, c);
  if (request.volumeId === "") throw new Error("empty volume handle");
  return { ...request, secrets: await readSecret(c, modifySecret(modification.volume), signal) };
}
