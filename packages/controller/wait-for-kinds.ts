import { backoffDelays, type Clock, type Logger } from "@csi-sidecars/base";
import { apiVersionOf, type Client, groupResourceOf, type Resource } from "@csi-sidecars/kube";
import { apiCallOptions } from "./api-calls.ts";

interface WaitForKindsContext {
  readonly kube: Pick<Client, "discover">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** CustomResourceDefinitions that are applied together with us are there within seconds; later ones are not urgent. */
const backoff = { start: 1_000, factor: 1.5, cap: 30_000 };

/**
 * Waits until the API server serves the kinds: their CustomResourceDefinitions may be installed after the process has started. `false` when
 * the signal aborts first. The log says what is missing, once, and `onMissing` is called.
 */
export async function waitForKinds(
  context: WaitForKindsContext,
  kinds: readonly Resource[],
  signal: AbortSignal,
  onMissing?: () => void,
): Promise<boolean> {
  const { clock, log } = context;
  const delays = backoffDelays(backoff);
  let isReported = false;
  while (!signal.aborted) {
    const missing = await missingKinds(context, kinds, signal).catch((error: unknown) => {
      if (!signal.aborted) log.error(error, "Failed to read which kinds the API server serves, will be retried");
      return undefined;
    });
    if (missing?.length === 0) {
      if (isReported) log.info("The CustomResourceDefinitions are installed", { kinds: kinds.map(groupResourceOf).join(",") });
      return !signal.aborted;
    }
    if (missing && !isReported) {
      isReported = true;
      onMissing?.();
      log.info("Waiting for CustomResourceDefinitions to be installed", { missing: missing.map(groupResourceOf).join(",") });
    }
    await clock.sleep(delays.next().value, signal).catch(() => undefined);
  }
  return false;
}

async function missingKinds({ kube }: WaitForKindsContext, kinds: readonly Resource[], signal: AbortSignal): Promise<readonly Resource[]> {
  const versions = [...new Set(kinds.map(apiVersionOf))];
  const served = await Promise.all(
    versions.map(async (version) => (await kube.discover(version, apiCallOptions(signal)))?.map(({ kind }) => `${version} ${kind}`) ?? []),
  );
  const names = new Set(served.flat());
  return kinds.filter((resource) => !names.has(`${apiVersionOf(resource)} ${resource.kind}`));
}
