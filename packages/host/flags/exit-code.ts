/** The exit codes of our programs. Upstream's 255 (a fatal log line) is 1 here. */
export const exitCode = {
  /** Done, or only asked for help or the version. */
  clean: 0,
  /** Wrong configuration, lost leadership or connection, any failure at run time. */
  failure: 1,
  /** The command line could not be understood. */
  misuse: 2,
  /** A command that changes something has found nothing to change. */
  nothingToDo: 3,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** A command line that cannot be understood; the message is for the user, the exit code is 2. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}
