/**
 * One operation in PowerShell. Both ways of running it use the same text.
 *
 * The body finds its parameters in `$p`, a table in which an empty parameter is absent, and ends with a table whose `data` is the
 * answer: `@{ data = @{ returnValue = 0 } }`. The table keeps a list of one element a list, which a pipeline would unwrap.
 */
export interface OperationScript {
  /** The functions that the body calls. */
  readonly functions: readonly string[];
  readonly body: string;
}

/** A text of PowerShell without the line breaks around it. `String.raw` keeps its backslashes. */
export function powershell(strings: TemplateStringsArray): string {
  return String.raw(strings).trim();
}
