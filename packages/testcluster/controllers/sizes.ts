import { parseQuantity } from "@csi-sidecars/base";

/** A list of amounts by resource name, as in `spec.capacity` and `resources.requests`. */
export type Amounts = Readonly<Record<string, string | number>>;

/** The `storage` of a resource list, exact and comparable; zero when it is not there. */
export function storageSize(amounts: Amounts | undefined): bigint {
  return sizeOf(amounts?.storage);
}

export function sizeOf(quantity: string | number | undefined): bigint {
  return quantity === undefined ? 0n : parseQuantity(quantity).nano;
}
