import { systemClock } from "@csi-sidecars/base";
import { StatusError } from "@csi-sidecars/kube";

/**
 * Repeats a request while the server is away, and rejects with what the server says against it. `isDone` recognizes the error of a
 * repetition whose first attempt succeeded.
 */
export async function insist<T>(ask: () => Promise<T>, isDone?: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (isDone?.(error)) return undefined as T;
      const isAnswer = error instanceof StatusError && (error.status.code ?? 500) < 429;
      if (isAnswer || attempt === 300) throw error;
    }
    await systemClock.sleep(200);
  }
}
