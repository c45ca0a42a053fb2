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
    if (total === undefined) {
      samples = [];
      return 0;
    }
    const last = samples.at(-1);
    if (last && total < last.total) samples = [];
    samples = [...samples.filter((sample) => sample.at >= at - windowMs), { at, total }];
    return ((total - (samples[0]?.total ?? total)) * 1000) / windowMs;
  };
}
