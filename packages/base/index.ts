export { type Backoff, backoffDelays, jitter } from "./backoff.ts";
export { beginningOf } from "./beginning.ts";
export { type Clock, elapsedSince, type Moment, momentOn, secondsSince, systemClock, type Timer } from "./clock.ts";

export { deferred } from "./deferred.ts";
export { type Dictionary, dictionary, ownValue, setOwnValue } from "./dictionary.ts";
export { asError, messageOf, messageWithCause, type Result, systemErrorCode } from "./errors.ts";
export { parseExactJson, stringifyExactJson } from "./exact-json.ts";
export { garbageMeter } from "./garbage-meter.ts";
export { GcAfterList } from "./gc-after-list.ts";
export { goQuote } from "./go-quote.ts";
export { isRecord } from "./is-record.ts";
export { type Fields, type Logger, silentLogger } from "./logger.ts";
export { type Message, type MessagePart, message } from "./message.ts";
export type { Permit } from "./permit.ts";
export {
  bytesOf,
  canonicalQuantity,
  canonicalResourceQuantity,
  formatBytes,
  parseQuantity,
  type Quantity,
  QuantityError,
} from "./quantity.ts";
export { writeTerminationLog } from "./termination-log.ts";
export { trim, trimRight } from "./trim.ts";
export { visible } from "./visible.ts";
