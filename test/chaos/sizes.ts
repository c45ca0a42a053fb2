/** How much chaos there is; the defaults suit every run of the tests, `CLAIMS=1000 KILLS=50 CUT_MS=10000` a night. */
export interface Sizes {
  readonly claims: number;
  /** How often the process is killed. */
  readonly kills: number;
  /** How often the API server is away, and for how long. */
  readonly cuts: number;
  readonly cutMs: number;
}

export function sizesFrom(env: Readonly<Record<string, string | undefined>>): Sizes {
  const size = (name: string, unlessGiven: number) => Number(env[name] ?? unlessGiven);
  return { claims: size("CLAIMS", 100), kills: size("KILLS", 10), cuts: 2, cutMs: size("CUT_MS", 2_000) };
}

/** How long claims keep coming. */
export function spanMs({ kills }: Sizes): number {
  return Math.max(3_000, kills * 600);
}
