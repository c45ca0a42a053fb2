import type { OperationReport, VolumeOperation } from "@csi-sidecars/host";
import { controllersAnnotation } from "@csi-sidecars/host/sub-commands";
import { keyOf, recordOf, type V1Lease } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { age } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { DriverAnswer, ObservedDriver } from "../gather/observed.ts";
import type { ResponsibleFor } from "../responsible-sidecar.ts";

interface Observed {
  readonly driver?: ObservedDriver;
  readonly now: number;
  readonly responsibleFor: ResponsibleFor;
}

/**
 * Whether an operation can be carried out: the driver is installed, its sidecar leads, the driver answers and is ready.
 * `lastReportedAt` is when the sidecar last reported something about the object, in milliseconds since the epoch.
 */
export function readinessSteps({ driver, now, responsibleFor }: Observed, operation: VolumeOperation, lastReportedAt = 0): readonly Step[] {
  if (!driver) return [];
  const responsible = responsibleFor(operation);
  const leases = foundIn(driver.leases);
  const leader = responsible && leases && leaderOf(responsible.sidecar.name, leases, now);
  const leadership =
    leader && !leadsElsewhere(leader, lastReportedAt, now) ? [leadershipStep(driver, responsible.sidecar.name, leader, now)] : [];
  return [...leadership, ...answerSteps(driver, responsible?.report)];
}

/** Whether a sidecar has a leader, by the lease that says most. */
type Leader =
  | { readonly state: "active" | "expired"; readonly lease: V1Lease; readonly holder: string; readonly renewed: string }
  /** `renewed`: when its last holder released it. */
  | { readonly state: "released"; readonly lease: V1Lease; readonly renewed: string }
  | { readonly state: "no lease" };

function leaderOf(sidecar: string, leases: readonly V1Lease[], now: number): Leader {
  const leaders = leases.filter((lease) => includes(lease, sidecar)).map((lease) => leaderBy(lease, now));
  const order: readonly Leader["state"][] = ["active", "expired", "released"];
  return leaders.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))[0] ?? { state: "no lease" };
}

/** A shared lease says which components its holder runs; one that does not say is assumed to run all. */
function includes({ metadata }: V1Lease, sidecar: string): boolean {
  return metadata?.annotations?.[controllersAnnotation]?.split(",").includes(sidecar) ?? true;
}

/** Clocks differ, and a lease may expire for a moment while it changes hands. */
const toleranceMs = 15_000;

function leaderBy(lease: V1Lease, now: number): Leader {
  const { holderIdentity: holder, renewTime: renewed = "", leaseDurationSeconds } = recordOf(lease);
  if (holder === "") return { state: "released", lease, renewed };
  const active = Date.parse(renewed) + leaseDurationSeconds * 1000 + toleranceMs > now;
  return { state: active ? "active" : "expired", lease, holder, renewed };
}

const recentlyMs = 10 * 60_000;

/** A sidecar that reported something after its lease expired or was released leads under an unknown lease name, or without a lease. */
function leadsElsewhere(leader: Leader, lastReportedAt: number, now: number): boolean {
  if (leader.state === "active") return false;
  const ended = leader.state === "no lease" ? Number.NaN : Date.parse(leader.renewed) + 60_000;
  return lastReportedAt > (Number.isNaN(ended) ? now - recentlyMs : ended);
}

function leadershipStep({ name, csiDriver }: ObservedDriver, sidecar: string, leader: Leader, now: number): Step {
  const who = `the ${sidecar} of driver ${name}`;
  const checkPods = (namespace = "") => `check the pods of the driver's controller in namespace ${namespace}`;
  switch (leader.state) {
    case "active":
      return step("done", `${who} runs: ${leader.holder} is the leader`, [leaseEvidence(leader)]);
    case "expired": {
      const ago = age(now, leader.renewed);
      return step(
        "failed",
        `${who} does not run: ${leader.holder} was the last leader and has not renewed its lease${ago ? ` for ${ago}` : ""}`,
        [leaseEvidence(leader)],
        checkPods(leader.lease.metadata?.namespace),
      );
    }
    case "released":
      return step(
        "waiting",
        `${who} does not run now: its lease has no holder`,
        [leaseEvidence(leader)],
        `${checkPods(leader.lease.metadata?.namespace)}, and that the driver answers in them: no replica leads without its driver`,
      );
    case "no lease":
      return csiDriver.state === "missing"
        ? step(
            "failed",
            `driver ${name} seems not to be installed: there is neither a CSIDriver object nor a lease of its ${sidecar}`,
            [{ object: `CSIDriver ${name}`, field: "metadata.name", value: "not found" }],
            "install the driver, or use a class of an installed driver",
          )
        : step(
            "waiting",
            `no lease of ${who} was found: it does not run, or it runs without --leader-election`,
            [],
            "check that the driver's controller is deployed with this sidecar",
          );
  }
}

function leaseEvidence(leader: Exclude<Leader, { state: "no lease" }>): Evidence {
  const object = `Lease ${keyOf(leader.lease)}`;
  if (leader.state === "released") return { object, field: "spec.holderIdentity", value: "empty" };
  return { object, field: "spec.renewTime", value: leader.renewed };
}

function answerSteps({ name, answer }: ObservedDriver, report: OperationReport | undefined): readonly Step[] {
  if (!answer) return [];
  if (!answer.reached) {
    return [
      step("failed", `the driver does not answer: ${answer.because}`, [], "check that the driver's container runs and has not crashed"),
    ];
  }
  return answer.name === name ? [readyStep(answer, report)] : [];
}

type Reached = Extract<DriverAnswer, { reached: true }>;

function readyStep({ name, ready, capabilities, nodeCapabilities }: Reached, report: OperationReport | undefined): Step {
  const { capability, nodeMayDoIt = false } = report ?? {};
  const object = `driver ${name}`;
  if (!ready) {
    const evidence = { object, field: "Probe", value: "ready = false" };
    return step("failed", `driver ${name} is not ready`, [evidence], "check the driver's log");
  }
  const has = capability === undefined || capabilities.includes(capability) || (nodeMayDoIt && nodeCapabilities.includes(capability));
  if (!has) {
    return step(
      "failed",
      `driver ${name} does not support this: it lacks the capability ${capability}`,
      [{ object, field: "ControllerGetCapabilities", value: capabilities.join(", ") || "none" }],
      "use another driver, or a version of it that supports this",
    );
  }
  return step("done", `driver ${name} answers and is ready`);
}
