/** What to do about a driver that cannot be reached, by what the attempt failed with. */
export function driverRemedy(because: string): string {
  return (
    remedies.find(([pattern]) => pattern.test(because))?.[1] ??
    "check --csi-address, and that the driver's container runs and has not crashed"
  );
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [/permission denied|EACCES|EPERM/i, "run this as a user who may open the socket: the one that the driver's container runs as, or root"],
  [
    /no such file|ENOENT/i,
    "check --csi-address: the driver creates that socket when it starts, in the folder that is mounted from its container",
  ],
  [/connection refused|ECONNREFUSED/i, "check that the driver's container runs: its socket is there, and nobody listens"],
  [/DeadlineExceeded|deadline exceeded|no answer within|timeout/i, "check the driver's log: it accepts calls and does not answer"],
];
