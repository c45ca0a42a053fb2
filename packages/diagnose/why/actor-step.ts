import { keyOf } from "@csi-sidecars/kube";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { Actor } from "./facts.ts";
import { valueIn } from "./look.ts";
import { age } from "./plain-text.ts";
import { type Leading, leadingOf, type Sidecar } from "./sidecar-leases.ts";

export interface ActorQuestion {
  readonly sidecar: Sidecar;
  readonly now: number;
  /** What the driver must be able to do. */
  readonly capability?: string;
  /** When the sidecar last said something about the object, in milliseconds since the epoch. */
  readonly lastWord?: number;
}

/** The steps about who acts for the driver: is it installed, does somebody lead, does the driver answer. */
export function actorSteps(actor: Actor | undefined, { sidecar, now, capability, lastWord = 0 }: ActorQuestion): readonly Step[] {
  if (!actor) return [];
  const leases = valueIn(actor.leases);
  const leading = leases && leadingOf(sidecar, leases, now);
  const leadership = leading && !belies(lastWord, leading, now) ? [leadershipStep(actor, sidecar, leading, now)] : [];
  return [...leadership, ...answerSteps(actor, capability)];
}

const recentlyMs = 10 * 60_000;

/** Somebody who spoke after the lease ran out or was let go leads under a name that is not known here, or without a lease. */
function belies(lastWord: number, leading: Leading, now: number): boolean {
  if (leading.state === "lives") return false;
  const ended = leading.state === "nobody" ? Number.NaN : Date.parse(leading.renewed) + 60_000;
  return lastWord > (Number.isNaN(ended) ? now - recentlyMs : ended);
}

function leadershipStep({ driver, csiDriver }: Actor, sidecar: Sidecar, leading: Leading, now: number): Step {
  const who = `the ${sidecar} of driver ${driver}`;
  const pods = (namespace = "") => `look at the pods of the driver's controller in namespace ${namespace}`;
  switch (leading.state) {
    case "lives":
      return step("done", `${who} runs: ${leading.holder} leads`, [leaseEvidence(leading)]);
    case "silent": {
      const ago = age(now, leading.renewed);
      return step(
        "failed",
        `${who} does not run: ${leading.holder} led last and has not renewed its lease${ago ? ` for ${ago}` : ""}`,
        [leaseEvidence(leading)],
        pods(leading.lease.metadata?.namespace),
      );
    }
    case "released":
      return step(
        "waiting",
        `${who} does not run now: its lease has no holder`,
        [leaseEvidence(leading)],
        pods(leading.lease.metadata?.namespace),
      );
    case "nobody":
      return csiDriver.state === "missing"
        ? step(
            "failed",
            `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its ${sidecar}`,
            [{ object: `CSIDriver ${driver}`, field: "metadata.name", value: "not found" }],
            "install the driver, or use a class of a driver that is installed",
          )
        : step(
            "waiting",
            `no lease of ${who} was found: it does not run, or it runs without --leader-election`,
            [],
            "look whether the driver's controller is deployed with this sidecar",
          );
  }
}

function leaseEvidence(leading: Exclude<Leading, { state: "nobody" }>): Evidence {
  const object = `Lease ${keyOf(leading.lease)}`;
  if (leading.state === "released") return { object, field: "spec.holderIdentity", value: "empty" };
  return { object, field: "spec.renewTime", value: leading.renewed };
}

function answerSteps({ driver, answer }: Actor, capability: string | undefined): readonly Step[] {
  if (!answer) return [];
  const object = `driver ${driver}`;
  if (!answer.reached) {
    return [
      step("failed", `the driver does not answer: ${answer.because}`, [], "check that the driver's container runs and has not crashed"),
    ];
  }
  if (answer.name !== driver) return [];
  if (!answer.ready) {
    return [
      step(
        "failed",
        `driver ${driver} says that it is not ready`,
        [{ object, field: "Probe", value: "ready = false" }],
        "read the driver's log",
      ),
    ];
  }
  if (capability !== undefined && !answer.capabilities.includes(capability)) {
    return [
      step(
        "failed",
        `driver ${driver} cannot do this: it lacks the capability ${capability}`,
        [{ object, field: "ControllerGetCapabilities", value: answer.capabilities.join(", ") || "none" }],
        "use another driver, or a version of it that can",
      ),
    ];
  }
  return [step("done", `driver ${driver} answers and is ready`)];
}
