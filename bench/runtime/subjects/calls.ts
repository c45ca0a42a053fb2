// Unary calls to a driver through our gRPC.
import { Channel, IdentityDefinition, serviceClient } from "@csi-sidecars/csi";
import { type CallSettings, measureCalls } from "./measure-calls.ts";

async function main(settings: CallSettings): Promise<void> {
  const channel = new Channel({ target: { kind: "unix", path: settings.driver } });
  const identity = serviceClient(IdentityDefinition, channel);
  await measureCalls(settings, () => identity.probe({}, { timeoutMs: 60_000, waitForReady: true }));
  channel.close();
}

void main(JSON.parse(process.argv[2] ?? "{}"));
