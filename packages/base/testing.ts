export { FakeClock } from "./fake-clock.ts";
export { passUntil } from "./pass-until.ts";
export { type LogLine, recordingLogger } from "./recording-logger.ts";
export { seededRandom } from "./seeded-random.ts";
export { until } from "./until.ts";
