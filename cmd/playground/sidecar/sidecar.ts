import { electionNames } from "@csi-sidecars/kube";
import { publishesCapacity } from "../cluster/install-driver.ts";
import type { Driver, DriverInfo } from "../driver/driver.ts";
import { type ProgramSurroundings, type ShippedProgram, startShippedProgram } from "../processes/shipped-program.ts";

const name = "csi-sidecars";

export interface SidecarPlan extends ProgramSurroundings {
  /** The path of csi-sidecars. */
  readonly program: string;
  readonly driver: Driver;
}

/** Starts csi-sidecars, as in a pod with the driver. */
export function startSidecar({ driver, ...plan }: SidecarPlan): Promise<ShippedProgram> {
  const { leaseName } = electionNames(`${name}-${driver.info.name}`, "");
  return startShippedProgram({
    ...plan,
    name,
    flags: sidecarFlags(driver.info),
    otherFlags: [`--csi-address=${driver.socket}`],
    lease: leaseName.toLowerCase(),
    readyPath: "/readyz",
  });
}

/** The controllers that a driver's capabilities call for. */
const controllersFor = ({ attaches, provisions, expands, modifies, snapshots }: DriverInfo): readonly string[] => [
  ...(attaches ? ["attacher"] : []),
  ...(provisions ? ["provisioner"] : []),
  ...(expands || modifies ? ["resizer"] : []),
  ...(snapshots ? ["snapshotter"] : []),
  "livenessprobe",
];

/** The flags that decide what the program does, and therefore which roles it needs. */
export const sidecarFlags = (info: DriverInfo): readonly string[] => [
  `--controllers=${controllersFor(info).join(",")}`,
  "--leader-election",
  // There is no pod object for the process that could own the CSIStorageCapacity objects.
  ...(publishesCapacity(info) ? ["--enable-capacity", "--capacity-ownerref-level=-1"] : []),
];
