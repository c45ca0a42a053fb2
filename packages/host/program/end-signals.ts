/** The signals that ask a process to end. On Windows these are the events of a console: Ctrl-C, Ctrl-Break and the end of its session. */
export function endSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === "win32" ? ["SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP"] : ["SIGINT", "SIGTERM"];
}
