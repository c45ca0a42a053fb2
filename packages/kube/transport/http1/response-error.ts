/**
 * The server has answered, but not with a response that can be used. The message says what is wrong with it and never quotes it: it
 * could hold secrets.
 */
export class ResponseError extends Error {
  override readonly name = "ResponseError";

  constructor(what: string, options?: ErrorOptions) {
    super(`the API server's response ${what}`, options);
  }
}

/** The response breaks the rules of HTTP. `why` continues "the response is malformed: ". */
export class MalformedResponseError extends ResponseError {
  constructor(why: string, options?: ErrorOptions) {
    super(`is malformed: ${why}`, options);
  }
}
