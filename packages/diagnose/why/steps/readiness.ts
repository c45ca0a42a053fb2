import type { OperationReport, VolumeOperation } from "@csi-sidecars/host";
import { driverRemedy } from "../../access/driver-remedy.ts";
import { foundIn } from "../../access/read-cluster.ts";
import { type Step, step } from "../explanation.ts";
import type { DriverAnswer, ObservedDriver } from "../gather/observed.ts";
import type { ResponsibleFor } from "../responsible-sidecar.ts";
import { type Leading, leadershipSteps } from "./leadership.ts";

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
  const leadership =
    responsible && leases
      ? leadershipSteps(sidecarOf(driver, responsible.sidecar.name, operation), responsible.sidecar.name, leases, { lastReportedAt, now })
      : [];
  return [...leadership, ...answerSteps(driver, responsible?.report)];
}

/** What to do where the driver is not installed, and there is another way than to install it. */
const withoutDriver: Partial<Readonly<Record<VolumeOperation, string>>> = {
  create: "install the driver, or use a class of an installed driver",
  snapshot: "install the driver, or use a class of an installed driver",
  groupSnapshot: "install the driver, or use a class of an installed driver",
  delete: "install the driver; without it, delete the volume in the storage by hand, and then this object",
};

/** How the sidecar of a driver is called, and where it is looked for. */
function sidecarOf({ name, csiDriver }: ObservedDriver, sidecar: string, operation: VolumeOperation): Leading {
  const who = `the ${sidecar} of driver ${name}`;
  return {
    who,
    pods: "the pods of the driver's controller",
    withoutHolder: ", and that the driver answers in them: no replica leads without its driver",
    withoutLease:
      csiDriver.state === "missing"
        ? step(
            "failed",
            `driver ${name} seems not to be installed: there is neither a CSIDriver object nor a lease of its ${sidecar}`,
            [{ object: `CSIDriver ${name}`, field: "metadata.name", value: "not found" }],
            withoutDriver[operation] ?? "install the driver: its volumes need it",
          )
        : step(
            "waiting",
            `no lease of ${who} was found: it does not run, or it runs without --leader-election`,
            [],
            "check that the driver's controller is deployed with this sidecar",
          ),
  };
}

function answerSteps({ name, answer }: ObservedDriver, report: OperationReport | undefined): readonly Step[] {
  if (!answer) return [];
  if (!answer.reached) {
    return [step("failed", answer.because, [], driverRemedy(answer.because))];
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
