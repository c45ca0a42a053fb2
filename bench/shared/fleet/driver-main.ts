// A CSI driver with a fleet of volumes in a process of its own. Its arguments are its socket and its controller capabilities. It obeys
// the orders on its standard input, a line of JSON each, and answers with what it was asked so far.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ControllerDefinition,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  GrpcServer,
  IdentityDefinition,
  NodeDefinition,
  PluginCapability_Service_Type as PluginService,
} from "@csi-sidecars/csi";
import { report } from "../report.ts";
import { driverName } from "../volumes.ts";
import { Fleet } from "./fleet.ts";

/** How long a driver takes to find out how a volume is. */
const workMs = 2;

const [, , path = "", ...capabilities] = process.argv;
const fleet = new Fleet();
await new GrpcServer()
  .serve(IdentityDefinition, {
    probe: () => ({ ready: true }),
    getPluginInfo: () => ({ name: driverName, vendorVersion: "v1.0.0", manifest: {} }),
    getPluginCapabilities: () => ({
      capabilities: [{ type: { $case: "service", service: { type: PluginService.CONTROLLER_SERVICE } } }],
    }),
  })
  .serve(ControllerDefinition, {
    controllerGetCapabilities: () => ({
      capabilities: capabilities.map((name) => ({
        type: { $case: "rpc", rpc: { type: ControllerRpc[name as keyof typeof ControllerRpc] } },
      })),
    }),
    listVolumes: ({ startingToken }) => fleet.list(startingToken, Date.now()),
    controllerGetVolume: ({ volumeId }) => fleet.get(volumeId, () => sleep(workMs)),
  })
  .serve(NodeDefinition, {
    nodeGetCapabilities: () => ({ capabilities: [] }),
    nodeGetInfo: () => ({ nodeId: "node-0" }),
  })
  .listen({ path });
report(fleet.obey({}));
for await (const line of createInterface(process.stdin)) report(fleet.obey(JSON.parse(line)));
process.exit(0);
