/** What is to be reached, from the measurements of upstream's provisioner on the machine that the budgets were made on. */
export const budgets = {
  /** MB, of a process with four components: one alone has to be well below. */
  idleMegabytes: 60,
  /** Without events and leases. */
  requests: { create: 1, delete: 3 },
  csiCalls: 1,
  refused: 0,
  /** Volumes per second with default flags. */
  limitedPerSecond: { create: 5.4, delete: 3.5 },
  /** Parts of what upstream's provisioner does in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
  /** What a volume costs when there are many, over what it costs when there are none. */
  growth: 1.2,
} as const;
