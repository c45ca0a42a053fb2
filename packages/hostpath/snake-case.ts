/** A field as the protocol spells it: `capacityBytes` is `capacity_bytes`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
