import type { Target } from "../engine/target.ts";
import { flags } from "./flags.ts";
import { grpcClient } from "./grpc-client.ts";
import { grpcMessages } from "./grpc-messages.ts";
import { grpcStatus } from "./grpc-status.ts";
import { httpParser } from "./http-parser.ts";
import { httpTransport } from "./http-transport.ts";
import { http2RequestTarget } from "./http2-requests.ts";
import { kubeconfigFile } from "./kubeconfig.ts";
import { watchBody } from "./watch-events.ts";
import { webhookReviews } from "./webhook-reviews.ts";

/** Everything that is fuzzed. */
export const targets: readonly Target[] = [
  httpParser,
  httpTransport,
  grpcMessages,
  grpcStatus,
  grpcClient,
  http2RequestTarget,
  watchBody,
  kubeconfigFile,
  flags,
  webhookReviews,
];
