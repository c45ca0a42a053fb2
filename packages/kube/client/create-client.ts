import { type Clock, isRecord, type Logger, parseExactJson, stringifyExactJson } from "@csi-sidecars/base";
import type { KubeObject, ObjectRef } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";
import { type Transport, TransportError } from "../transport/transport.ts";
import type { CallOptions, Client, DeleteOptions, KubeList, ListOptions, WatchOptions } from "./client.ts";
import type { ClientMetrics } from "./client-metrics.ts";
import { discover } from "./discovery.ts";
import { type RequestSubject, statusErrorOf } from "./error-response.ts";
import { patchContentTypes } from "./patch.ts";
import { collectionPath, creationPath, listQuery, objectPath, watchQuery, writeQuery } from "./request-url.ts";
import { throttleLog } from "./throttle-log.ts";
import { effectiveLimit, type RateLimit, TokenBucket, unlimited } from "./token-bucket.ts";
import { warningLog } from "./warnings.ts";
import { noEvents, WatchCancellation, watchEvents } from "./watch-stream.ts";
import { type ClientRequest, type ClientResponse, isBrokenWatch, retryAfterSeconds, type SendContext, send } from "./with-retry.ts";

export interface ClientOptions extends RateLimit {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names the client in log lines and in the metric about throttling. */
  readonly name: string;
  /** The flags that set its limit, for the log line about throttling; default `--kube-api-qps and --kube-api-burst`. */
  readonly limitedBy?: string | undefined;
  /** In place of the transport's own. */
  readonly userAgent?: string;
  readonly metrics?: ClientMetrics;
  /** The API server's `host:port`, for metric labels. */
  readonly host?: string;
}

/** How long a watch may outlive the timeout after which the server should have closed it. */
const watchGraceMs = 30_000;
/** API servers close a watch without a timeout after half an hour to an hour. */
const longestServerWatchSeconds = 3600;

/**
 * A client with its own token bucket over a shared transport.
 *
 * ```ts
 * const client = createClient({ transport, clock: systemClock, log, name: "attacher", qps: 5, burst: 10 });
 * const volume = await client.get(PersistentVolume, { name: "pv-1" });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const { transport, clock, log, name } = options;
  const limit = effectiveLimit(options);
  const metrics = options.metrics?.bind({ host: options.host ?? "none", name });
  const context: SendContext = {
    transport,
    clock,
    log,
    metrics,
    limiter: limit ? new TokenBucket(limit, clock) : unlimited,
    onThrottled: throttleLog(clock, log, { name, limit, limitedBy: options.limitedBy }),
  };
  const warn = warningLog(log);
  const headers = requestHeaders(options.userAgent);

  /** Any call that is not a watch: returns the JSON text of a 2xx response, or throws. */
  async function call(request: ClientRequest, subject: RequestSubject, callOptions: CallOptions = {}): Promise<string> {
    const start = clock.monotonic();
    try {
      const answer = await send(context, request, callOptions);
      warn(answer.response.header("warning"));
      if (answer.status < 200 || answer.status > 206) throw refused(answer, subject);
      return answer.body;
    } finally {
      metrics?.finished(request.method, (clock.monotonic() - start) / 1000);
    }
  }

  const client: Client = {
    async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, callOptions?: CallOptions) {
      const path = objectPath(resource, ref);
      return parse<T>(
        await call({ method: "GET", path, headers: headers.one(resource) }, subject("GET", resource, ref.name), callOptions),
        path,
        resource,
      );
    },

    async list<T extends KubeObject>(resource: Resource<T>, o: ListOptions = {}) {
      const path = collectionPath(resource, o.namespace) + listQuery(o);
      const body = await call({ method: "GET", path, headers: headers.list(resource) }, subject("GET", resource), o);
      return listFrom<T>(parse(body, path, resource), path);
    },

    async watch<T extends KubeObject>(resource: Resource<T>, o: WatchOptions) {
      const path = collectionPath(resource, o.namespace) + watchQuery(o);
      const cancellation = new WatchCancellation(clock, o.signal);
      try {
        const request: ClientRequest = { method: "GET", path, headers: headers.one(resource), streaming: true };
        const answer = await send(context, request, { signal: cancellation.signal });
        warn(answer.response.header("warning"));
        if (answer.status !== 200) throw refused(answer, subject("GET", resource));
        cancellation.limit((o.timeoutSeconds ?? longestServerWatchSeconds) * 1000 + watchGraceMs, `watch of ${path}`);
        return watchEvents<T>(answer.response.chunks(), cancellation, resource.int64);
      } catch (error) {
        cancellation.release();
        if (error instanceof TransportError && isBrokenWatch(error)) return noEvents();
        throw error;
      }
    },

    async create(resource, object, o) {
      const path = creationPath(resource, object.metadata?.namespace) + writeQuery(o);
      const request: ClientRequest = { method: "POST", path, headers: headers.json, body: tagged(resource, object) };
      return parse(await call(request, subject("POST", resource), o), path, resource);
    },

    async update(resource, object, o) {
      const { name = "", namespace } = object.metadata ?? {};
      const path = objectPath(resource, { name, namespace }, o?.subresource) + writeQuery(o);
      const request: ClientRequest = { method: "PUT", path, headers: headers.json, body: tagged(resource, object) };
      return parse(await call(request, subject("PUT", resource, name), o), path, resource);
    },

    async patch(resource, ref, patch, o) {
      const path = objectPath(resource, ref, o?.subresource) + writeQuery(o);
      const request: ClientRequest = { method: "PATCH", path, headers: headers.patch[patch.type], body: stringifyExactJson(patch.body) };
      return parse(await call(request, subject("PATCH", resource, ref.name), o), path, resource);
    },

    async delete(resource, ref, o) {
      const path = objectPath(resource, ref) + writeQuery(o);
      await call({ method: "DELETE", path, headers: headers.json, body: deleteBody(o) }, subject("DELETE", resource, ref.name), o);
    },

    discover: (groupVersion, o) => discover(client, groupVersion, o),

    async raw(method, path, body, o) {
      const request: ClientRequest =
        body === undefined
          ? { method, path, headers: headers.get }
          : { method, path, headers: headers.json, body: stringifyExactJson(body) };
      return parse(await call(request, { method }, o), path);
    },
  };
  return client;
}

function requestHeaders(userAgent: string | undefined) {
  const get: Readonly<Record<string, string>> = { accept: "application/json", ...(userAgent && { "user-agent": userAgent }) };
  const withType = (type: string) => ({ ...get, "content-type": type });
  const partial = { ...get, accept: acceptPartial("PartialObjectMetadata") };
  const partialList = { ...get, accept: acceptPartial("PartialObjectMetadataList") };
  return {
    get,
    /** For reads that return single objects, and watches. */
    one: (resource: Resource) => (resource.metadataOnly ? partial : get),
    list: (resource: Resource) => (resource.metadataOnly ? partialList : get),
    json: withType("application/json"),
    patch: {
      merge: withType(patchContentTypes.merge),
      strategic: withType(patchContentTypes.strategic),
      json: withType(patchContentTypes.json),
    },
  };
}

/** A server without support for it may send whole objects. */
const acceptPartial = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

function subject(method: string, resource: Resource, name?: string): RequestSubject {
  return { method, group: resource.group, plural: resource.plural, name };
}

function refused(answer: ClientResponse, about: RequestSubject): Error {
  const { status, body, response, retryAfter } = answer;
  const contentType = response.header("content-type");
  return statusErrorOf({ code: status, contentType, body, retryAfterSeconds: retryAfterSeconds(retryAfter) }, about);
}

/** The server insists on `apiVersion` and `kind`, which objects from lists and caches lack. */
function tagged(resource: Resource, object: KubeObject): string {
  if (object.apiVersion && object.kind) return stringifyExactJson(object);
  return stringifyExactJson({ ...object, apiVersion: apiVersionOf(resource), kind: resource.kind });
}

function deleteBody(o: DeleteOptions | undefined): string | undefined {
  if (o?.preconditions === undefined && o?.propagationPolicy === undefined && o?.gracePeriodSeconds === undefined) return undefined;
  const { preconditions, propagationPolicy, gracePeriodSeconds } = o;
  return JSON.stringify({ apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy, gracePeriodSeconds });
}

function parse<R>(body: string, path: string, resource?: Resource): R {
  let value: unknown;
  try {
    value = resource?.int64 ? parseExactJson(body) : JSON.parse(body);
  } catch (cause) {
    throw unexpectedAnswer(path, "JSON", cause);
  }
  if (!isRecord(value)) throw unexpectedAnswer(path, "a JSON object");
  return value as R;
}

/**
 * Whatever answers in place of an API server, as a proxy does with a page about its own health, must not be taken for a cluster without
 * objects: caches would tell that all of them were deleted. Some API servers leave out `items` where there are none.
 */
function listFrom<T>(answer: Partial<KubeList<T>>, path: string): KubeList<T> {
  const { metadata, items } = answer;
  const isEmpty = items === undefined || items === null;
  if (isEmpty ? typeof metadata?.resourceVersion !== "string" : !Array.isArray(items)) throw unexpectedAnswer(path, "a list");
  return { metadata: metadata ?? {}, items: items ?? [] };
}

function unexpectedAnswer(path: string, expected: string, cause?: unknown): TransportError {
  const message = `the answer for ${path} is not ${expected}: is something other than an API server at this address?`;
  return new TransportError("other", message, { cause });
}
