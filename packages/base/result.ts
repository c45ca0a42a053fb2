/** A value, or the message that tells the user why there is none. */
export type Result<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: string };
