/** What a program needs that has flags, logs and metrics like the others, but no components. It loads nothing else of the host. */
export { type ExitCode, exitCode } from "./flags/exit-code.ts";
export { aboveZero, type Flag, type FlagTable, type FlagValues, notBelowZero, parsed } from "./flags/flag.ts";
export { bool, choice, int, list, text, uint } from "./flags/flag-types.ts";
export { klogFlags } from "./flags/klog-flags.ts";
export type { FlagOwner, Program } from "./flags/program.ts";
export { readCommandLine } from "./flags/read-command-line.ts";
export { type HttpServer, serveHttp } from "./http/http-server.ts";
export { parseListenAddress } from "./http/listen.ts";
export { metricsPage } from "./http/pages.ts";
export { isUtc } from "./logging/formats.ts";
export { type Logging, startLogging } from "./logging/logging.ts";
export { descriptorSink, type Sink } from "./logging/sink.ts";
export { buildVersion } from "./program/build-version.ts";
export { endSignals } from "./program/end-signals.ts";
