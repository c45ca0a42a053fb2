import type { Clock } from "@csi-sidecars/base";
import { bucketLimiter, type CallOptions, type Client, type RateLimit } from "@csi-sidecars/kube";

/** A client that takes no more than its share of another one's bucket. Watches are free. A negative `qps` is no limit. */
export function pacedClient(client: Client, { qps, burst }: RateLimit, clock: Clock): Client {
  if (qps < 0) return client;
  const bucket = bucketLimiter<string>({ perSecond: qps, burst }, clock);
  const turn = async (options?: CallOptions) => {
    const ms = bucket.when("");
    if (ms > 0) await clock.sleep(ms, options?.signal);
  };
  return {
    ...client,
    async get(resource, ref, options) {
      await turn(options);
      return client.get(resource, ref, options);
    },
    async list(resource, options) {
      await turn(options);
      return client.list(resource, options);
    },
    async create(resource, object, options) {
      await turn(options);
      return client.create(resource, object, options);
    },
    async update(resource, object, options) {
      await turn(options);
      return client.update(resource, object, options);
    },
    async patch(resource, ref, patch, options) {
      await turn(options);
      return client.patch(resource, ref, patch, options);
    },
    async delete(resource, ref, options) {
      await turn(options);
      return client.delete(resource, ref, options);
    },
    async discover(groupVersion, options) {
      await turn(options);
      return client.discover(groupVersion, options);
    },
    async raw(method, path, body, options) {
      await turn(options);
      return client.raw(method, path, body, options);
    },
  };
}
