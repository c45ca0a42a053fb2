// Holds a connection to a driver and does nothing else.
import { connectDriver } from "@csi-sidecars/csi";
import { report } from "../../shared/report.ts";

async function main({ driver }: { readonly driver: string }): Promise<void> {
  await connectDriver({ address: driver });
  report({ phase: "connected" });
}

void main(JSON.parse(process.argv[2] ?? "{}"));
