/** What is to be reached, from the measurements of upstream's attacher on the machine that the budgets were made on. */
export const budgets = {
  /** MB, of a process with four components: one alone has to be well below. */
  idleMegabytes: 60,
  present: { count: 20_000, megabytes: 120, peakMegabytes: 150, cpuSeconds: 3 },
  idleCpuSecondsPerMinute: 0.15,
  startMs: 150,
  /** Without events and leases. */
  requests: { attach: 3, detach: 1 },
  csiCalls: 1,
  refused: 0,
  /** With default flags; an attacher alone cannot do better than upstream's, one beside the provisioner that made the volumes can. */
  limited: {
    attach: { perSecond: 1.7, requests: 3 },
    detach: { perSecond: 5, requests: 1 },
    attachBeside: { perSecond: 2.4, requests: 2 },
  },
  /** Parts of what upstream's attacher does in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
} as const;
