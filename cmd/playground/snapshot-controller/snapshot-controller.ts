import { type ProgramSurroundings, type ShippedProgram, startShippedProgram } from "../processes/shipped-program.ts";

const name = "snapshot-controller";

export interface SnapshotControllerPlan extends ProgramSurroundings {
  /** The path of snapshot-controller. */
  readonly program: string;
}

/** Starts snapshot-controller, which a cluster has once, whatever its drivers are. */
export function startSnapshotController(plan: SnapshotControllerPlan): Promise<ShippedProgram> {
  return startShippedProgram({
    ...plan,
    name,
    flags: ["--leader-election"],
    leases: [`${name}-leader`],
    readyPath: "/healthz/leader-election",
  });
}
