import { until } from "@csi-sidecars/base/testing";
import type { Wire } from "../../apiserver/testing/wire.ts";

/** Waits until objects of a new custom kind can be listed: a server begins to serve them a moment after their definition. */
export async function untilServed(admin: Wire, path: string): Promise<void> {
  await until(`${path} is served`, async () => (await admin.get(path)).code === 200, 20_000);
}
