import type { DriverCallOptions } from "./call-options.ts";
import type { DriverClient } from "./driver-client.ts";

/** The name the driver is known by in Kubernetes. */
export async function getDriverName(driver: Pick<DriverClient, "identity">, options?: DriverCallOptions): Promise<string> {
  const { name } = await driver.identity.getPluginInfo({}, options);
  if (name === "") throw new Error("driver name is empty");
  return name;
}
