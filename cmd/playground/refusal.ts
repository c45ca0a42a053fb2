/** A mistake of whoever typed the command, or a world that does not fit it: told in one sentence, without a stack. */
export class Refusal extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
