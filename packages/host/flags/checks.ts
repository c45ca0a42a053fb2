/** The check of numbers of workers, in upstream's words. */
export function aboveZero(value: number, name: string): string | undefined {
  return value > 0 ? undefined : `Option -${name} must be greater than zero`;
}
