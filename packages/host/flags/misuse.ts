/** A command line that cannot be understood; the message is for the user, the exit code is 2. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}
