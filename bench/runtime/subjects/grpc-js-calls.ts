// The same calls through grpc-js, for comparison.
import { IdentityDefinition } from "@csi-sidecars/csi";
import { grpcJsClient } from "../../../packages/csi/grpc/testing/grpc-js-peer.ts";
import { type CallSettings, measureCalls } from "./measure-calls.ts";

async function main(settings: CallSettings): Promise<void> {
  const client = grpcJsClient(settings.driver, IdentityDefinition);
  await measureCalls(settings, () => client.call("probe", {}, { deadline: Date.now() + 60_000 }));
  client[Symbol.dispose]();
}

void main(JSON.parse(process.argv[2] ?? "{}"));
