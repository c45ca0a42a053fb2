/** What a running process works on, by its metrics: for commands that ask it from outside. */
export type { Sample } from "./activity/samples.ts";
export { workIn, workMetrics } from "./activity/work.ts";
