// A CSI driver that is ready, on the named pipe of its only argument.
import { GrpcServer, IdentityDefinition } from "@csi-sidecars/csi";

const [path = ""] = process.argv.slice(2);
const identity = {
  getPluginInfo: () => ({ name: "wine.example.com", vendor_version: "1" }),
  getPluginCapabilities: () => ({}),
  probe: () => ({ ready: true }),
};
await new GrpcServer().serve(IdentityDefinition, identity).listen({ path });
console.log("serving");
