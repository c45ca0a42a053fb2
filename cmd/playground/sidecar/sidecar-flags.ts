import { publishesCapacity } from "../cluster/install-driver.ts";
import type { DriverFacts } from "../driver/driver-facts.ts";

/** The controllers that a driver's capabilities ask for. */
const controllersFor = ({ attaches, provisions }: DriverFacts): readonly string[] => [
  ...(attaches ? ["attacher"] : []),
  ...(provisions ? ["provisioner"] : []),
  "livenessprobe",
];

/** The flags that decide what the program does, and therefore which roles it needs. */
export const sidecarFlags = (facts: DriverFacts): readonly string[] => [
  `--controllers=${controllersFor(facts).join(",")}`,
  "--leader-election",
  // No pod object stands for the process: nobody can own the capacity objects.
  ...(publishesCapacity(facts) ? ["--enable-capacity", "--capacity-ownerref-level=-1"] : []),
];
