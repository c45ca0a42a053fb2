import { Channel, type DriverClient, driverClient, type GrpcError, parseAddress } from "@csi-sidecars/csi";

/** A client of a driver, for a block: `using client = clientOf(driver)`. */
export function clientOf({ address }: { readonly address: string }): DriverClient & Disposable {
  const channel = new Channel({ target: parseAddress(address) });
  return { ...driverClient(channel), [Symbol.dispose]: () => channel.close() };
}

/** How a call failed; throws if it did not. */
export async function failureOf(call: Promise<unknown>): Promise<GrpcError> {
  const answer = await call.catch((error: GrpcError) => ({ error }));
  if (typeof answer === "object" && answer !== null && "error" in answer) return answer.error as GrpcError;
  throw new Error(`answered ${JSON.stringify(answer)} instead of failing`);
}

/** Capabilities of a volume that one node writes to, or several nodes. */
export const writer = capability(1);
export const manyWriters = capability(5);

function capability(mode: 1 | 5) {
  return { accessType: { $case: "mount" as const, mount: { fsType: "ext4" } }, accessMode: { mode } };
}

export const GiB = 1_073_741_824n;

export function create(name: string, requiredBytes = GiB) {
  return { name, volumeCapabilities: [writer], capacityRange: { requiredBytes } };
}
