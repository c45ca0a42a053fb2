/**
 * The configuration cannot be used. The message names the file or variable, the field in it and what to do about it;
 * it is meant to be printed as it is, without a stack trace, and never contains a credential.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
