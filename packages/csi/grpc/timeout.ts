const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The `grpc-timeout` value of a duration: at most eight digits and a unit, never shorter than what was asked. */
export function encodeTimeout(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  for (const unit of ["m", "S", "M"] as const) {
    const amount = Math.ceil(whole / (unitMilliseconds[unit] ?? 1));
    if (amount < 1e8) return `${amount}${unit}`;
  }
  return `${Math.min(99_999_999, Math.ceil(whole / 3_600_000))}H`;
}

/** Milliseconds of a `grpc-timeout` value; `undefined` when it is not one. */
export function parseTimeout(value: string): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(value);
  if (!match) return undefined;
  return Number(match[1]) * (unitMilliseconds[match[2] ?? ""] ?? Number.NaN);
}
