/** The call cannot be expressed as a request (no name, no namespace): the caller's mistake, nothing was sent, repeating is of no use. */
export class InvalidRequestError extends Error {
  override readonly name = "InvalidRequestError";
}
