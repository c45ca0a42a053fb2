/** Upstream's way to make a Lease name or holder identity: anything but letters, digits and dashes becomes a dash, and none may be last. */
export function sanitizeName(name: string): string {
  const sanitized = name.replace(/[^a-zA-Z0-9-]/g, "-");
  return sanitized.endsWith("-") ? `${sanitized}X` : sanitized;
}

/** How one candidate appears to others. */
export interface ElectionNames {
  readonly leaseName: string;
  readonly identity: string;
  /** The source component of the election's events: it keeps the names as they were. */
  readonly eventSource: string;
}

/** The names upstream makes of a lock name (`external-attacher-leader-<driver>`) and a host name. */
export function electionNames(lockName: string, hostName: string): ElectionNames {
  return { leaseName: sanitizeName(lockName), identity: sanitizeName(hostName), eventSource: `${lockName}/${hostName}` };
}
