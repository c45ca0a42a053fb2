import { formatQuantity, parseQuantity, QuantityError } from "./quantity.ts";

const nano = 10n ** 9n;

/** A size as whole bytes, a fraction rounded up. The API server lets no text through that is no quantity: such a one counts 0. */
export function bytesOf(quantity: string | number | undefined): bigint {
  if (quantity === undefined) return 0n;
  try {
    return (parseQuantity(quantity).nano + nano - 1n) / nano;
  } catch (problem) {
    if (problem instanceof QuantityError) return 0n;
    throw problem;
  }
}

/** A number of bytes in the canonical form that Kubernetes gives capacities: `5632Mi`, `100Ki`, `1k`. */
export const formatBytes = (bytes: bigint): string => formatQuantity({ nano: bytes * nano, format: "binary" });
