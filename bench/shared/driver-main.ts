// A process that is nothing but a CSI driver's identity service, on the socket its first argument names. Prints a line when it listens.
import { GrpcServer, IdentityDefinition } from "@csi-sidecars/csi";
import { driverName } from "./volumes.ts";

const [, , path = ""] = process.argv;
await new GrpcServer()
  .serve(IdentityDefinition, {
    probe: () => ({ ready: true }),
    getPluginInfo: () => ({ name: driverName, vendorVersion: "v1.0.0", manifest: {} }),
  })
  .listen({ path });
console.log("listening");
process.stdin.on("end", () => process.exit(0)).resume();
