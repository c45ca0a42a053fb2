import { electionNames } from "@csi-sidecars/kube";
import { publishesCapacity } from "../cluster/install-driver.ts";
import type { Driver, DriverInfo } from "../driver/driver.ts";
import { type ProgramSurroundings, type ShippedProgram, startShippedProgram } from "../processes/shipped-program.ts";

const name = "csi-sidecars";

/** The validator belongs to no driver: it has a lease of its own. */
const validator = "volume-data-source-validator";
const validatorLease = "data-source-validator-leader";

export interface SidecarPlan extends ProgramSurroundings {
  /** The path of csi-sidecars. */
  readonly program: string;
  readonly driver: Driver;
  /** The socket to call it at. */
  readonly csiAddress: string;
}

/** Starts csi-sidecars, as in a pod with the driver. */
export function startSidecar({ driver, csiAddress, ...plan }: SidecarPlan): Promise<ShippedProgram> {
  const { leaseName } = electionNames(`${name}-${driver.info.name}`, "");
  return startShippedProgram({
    ...plan,
    name,
    flags: sidecarFlags(driver.info, driver.hostpath ? "1s" : "10s"),
    otherFlags: [`--csi-address=${csiAddress}`, "--enable-ui"],
    leases: [leaseName.toLowerCase(), ...(driver.info.provisions ? [validatorLease] : [])],
    readyPath: "/readyz",
  });
}

/** The controllers that a driver's capabilities call for. */
const controllersFor = ({ attaches, provisions, expands, modifies, snapshots, reportsConditions }: DriverInfo): readonly string[] => [
  ...(attaches ? ["attacher"] : []),
  ...(provisions ? ["provisioner"] : []),
  ...(expands || modifies ? ["resizer"] : []),
  ...(snapshots ? ["snapshotter"] : []),
  ...(reportsConditions ? ["health-monitor"] : []),
  ...(provisions ? [validator] : []),
  "livenessprobe",
];

/** The flags that decide what the program does, and therefore which roles it needs; `checkEvery` is the pause between two checks of the volumes. */
export const sidecarFlags = (info: DriverInfo, checkEvery: string): readonly string[] => [
  `--controllers=${controllersFor(info).join(",")}`,
  "--leader-election",
  // There is no pod object for the process that could own the CSIStorageCapacity objects.
  ...(publishesCapacity(info) ? ["--enable-capacity", "--capacity-ownerref-level=-1"] : []),
  ...(info.reportsConditions
    ? [`--health-monitor-list-volumes-interval=${checkEvery}`, `--health-monitor-monitor-interval=${checkEvery}`]
    : []),
];
