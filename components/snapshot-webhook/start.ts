import { type Logger, messageOf } from "@csi-sidecars/base";
import { aborted, type ComponentContext, type FlagTable, type FlagValues, type Running } from "@csi-sidecars/host";
import { answerAdmission } from "./admission/answer-admission.ts";
import { groupSnapshotClasses, snapshotClasses } from "./admission/class-kinds.ts";
import { storedGroupSnapshotClasses, storedSnapshotClasses } from "./admission/stored-classes.ts";
import { answerConversion } from "./conversion/answer-conversion.ts";
import type { conversionFlags, webhookFlags } from "./flags.ts";
import { requestMetrics } from "./metrics.ts";
import { CertificateWatch } from "./server/certificate-watch.ts";
import { type Endpoint, HttpsServer } from "./server/https-server.ts";

type ServerFlags = FlagValues<typeof conversionFlags> & Partial<Pick<FlagValues<typeof webhookFlags>, "bindAddress">>;
type Context = Omit<ComponentContext<FlagTable>, "flags">;

const mebibyte = 1_024 * 1_024;
/** A list is converted in one review: thousands of contents. */
const conversionBytes = 64 * mebibyte;
/** The API server takes objects of 3 MiB; a review has the old and the new one. */
const admissionBytes = 8 * mebibyte;

/** What is served beside `/readyz`. */
export type Endpoints = readonly (readonly [path: string, endpoint: Endpoint])[];

export function conversionEndpoints(log: Logger): Endpoints {
  return [["/convert", { maxBytes: conversionBytes, answer: (request) => answerConversion(request, log) }]];
}

/** Answers while the classes of the cluster are known; `groups`: `--enable-volume-group-snapshot-webhook`. */
export function admissionEndpoints(context: Context, groups: boolean): Endpoints {
  const { log } = context;
  const endpoint = (kind: typeof snapshotClasses, stored: ReturnType<typeof storedSnapshotClasses>): Endpoint => ({
    maxBytes: admissionBytes,
    answer: (request) => answerAdmission(kind, request, stored, log),
  });
  return [
    ["/volumesnapshot", endpoint(snapshotClasses, storedSnapshotClasses(context))],
    ...(groups ? [["/volumegroupsnapshot", endpoint(groupSnapshotClasses, storedGroupSnapshotClasses(context))] as const] : []),
  ];
}

/** Serves webhooks over HTTPS until the context's signal aborts and the requests that came in are answered. */
export async function serveWebhooks(context: Context, flags: ServerFlags, endpoints: Endpoints): Promise<Running> {
  const { clock, log, signal } = context;
  let use = (_pair: CertificateWatch["current"]) => {};
  const certificates = openCertificates(context, flags, (pair) => use(pair));
  const server = new HttpsServer({
    ...{ host: flags.bindAddress ?? "", port: flags.port, pair: certificates.current, clock, log },
    endpoints: new Map([["/readyz", { maxBytes: 0, answer: () => ({ status: 200, body: "ok" }) }], ...endpoints]),
    answered: requestMetrics(context.metrics),
  });
  use = (pair) => server.use(pair);
  const port = await server.listen();
  log.info("HTTPS server is listening", { port, paths: ["/readyz", ...endpoints.map(([path]) => path)].join(",") });
  return {
    done: aborted(signal).then(async () => {
      certificates[Symbol.dispose]();
      await server.close();
    }),
  };
}

function openCertificates({ clock, log }: Context, flags: ServerFlags, onChange: ConstructorParameters<typeof CertificateWatch>[1]) {
  const files = { certFile: flags.tlsCertFile, keyFile: flags.tlsPrivateKeyFile };
  try {
    return new CertificateWatch({ files, clock, log }, onChange);
  } catch (error) {
    throw new Error(`failed to initialize new cert watcher: ${messageOf(error)}`, { cause: error });
  }
}
