export { FakeClock } from "./fake-clock.ts";
export { heapGrowth } from "./heap-growth.ts";
export { inheritedNames, withInheritedNames } from "./inherited-names.ts";
export { type LogLine, recordingLogger } from "./recording-logger.ts";
export { RevocablePermit } from "./revocable-permit.ts";
export { seededRandom } from "./seeded-random.ts";
export { advanceUntil, until } from "./until.ts";
