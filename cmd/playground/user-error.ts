/** A mistake of the user, or an environment that does not fit the command: printed as one sentence, without a stack trace. */
export class UserError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
