export { asError } from "./as-error.ts";
export { type Backoff, backoffDelays, jitter } from "./backoff.ts";
export { type Clock, systemClock, type Timer } from "./clock.ts";
export { messageOf, messageWithCause } from "./error-message.ts";
export { isRecord } from "./is-record.ts";
export { type Fields, type Logger, silentLogger } from "./logger.ts";
export { type Message, type MessagePart, message } from "./message.ts";
export {
  canonicalQuantity,
  canonicalResourceQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
} from "./quantity.ts";
export { bytesOf, formatBytes } from "./quantity-bytes.ts";
export type { Result } from "./result.ts";
export { systemErrorCode } from "./system-error.ts";
export { writeTerminationLog } from "./termination-log.ts";
