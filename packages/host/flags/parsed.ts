/** What became of a text from the command line: its value, or what is wrong with it in words for the user. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const unparsable = (problem: string): Parsed<never> => ({ ok: false, problem });
