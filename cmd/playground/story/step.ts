/** One step of the story: something is done, and then something must be seen. */
export interface Step {
  readonly title: string;
  act(signal: AbortSignal): Promise<unknown>;
  /** What is waited for. */
  readonly expected: string;
  /** What was seen, in words; `undefined` as long as it is not. */
  look(): Promise<string | undefined>;
}
