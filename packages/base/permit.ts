/**
 * Leave to do something, which may be withdrawn at any time: a request or a call that has one is sent only while it is given, and ends
 * when it is withdrawn.
 */
export interface Permit {
  /** Why there is none at this moment. Asked right before the first byte is sent, after all waiting: then nothing is sent. */
  refusal(): Error | undefined;
  /** Aborts when it is withdrawn, with a refusal as its reason. To be read for each use: a permit that is given again has another signal. */
  readonly withdrawn: AbortSignal;
}
