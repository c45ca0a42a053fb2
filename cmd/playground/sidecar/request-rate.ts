/** The rate is that of so many last milliseconds. */
const windowMs = 5_000;

interface Sample {
  readonly at: number;
  readonly total: number;
}

/** Turns a counter that is looked at now and then into a rate; a counter that went back belongs to a new process. */
export function requestRate(): (at: number, total: number | undefined) => number {
  let samples: readonly Sample[] = [];
  return (at, total) => {
    const last = samples.at(-1);
    if (total === undefined || (last && total < last.total)) samples = [];
    if (total === undefined) return 0;
    samples = [...samples.filter((sample) => sample.at >= at - windowMs), { at, total }];
    const [first] = samples;
    return first && first.at < at ? ((total - first.total) * 1000) / (at - first.at) : 0;
  };
}
