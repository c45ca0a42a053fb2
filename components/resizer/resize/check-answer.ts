import { messages } from "../messages.ts";

/** The largest number that CSI and Kubernetes can say: a driver that says it does not mean a size. */
const limit = 2n ** 63n - 1n;

/** What is wrong with the capacity that the driver says a volume has now; more than what was asked for is right. */
export function checkAnswer(answered: bigint, asked: bigint): string | undefined {
  if (answered <= 0n || answered < asked) return messages.answeredTooLittle(answered, asked);
  return answered >= limit ? messages.answeredTooMuch(answered, asked) : undefined;
}
