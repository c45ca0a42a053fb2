import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ControllerDefinition,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  type GrpcServer,
  IdentityDefinition,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";
import { csiSanityPath } from "../../tools/csi-sanity/location.ts";
import { runCsiSanity } from "../../tools/csi-sanity/run-csi-sanity.ts";
import { identityService } from "./identity-service.ts";
import { startWorld } from "./testing/driver-world.ts";

const program = csiSanityPath(process.env);
const why = existsSync(program)
  ? ""
  : ` (skipped: no ${program}; run \`npm run csi-sanity:build\`, which needs Go, or set CSI_SANITY to the program)`;

const share = "\\\\files.example.com\\team";
const credential = { username: "user", password: "S3cret-of-the-share" };

/** The suite wants a controller to make its volumes: this one names folders of a share that is there. */
function addController(server: GrpcServer): void {
  server.serve(IdentityDefinition, {
    ...identityService({ driverName: "smb.example.com" }),
    getPluginCapabilities: () => ({
      capabilities: [{ type: { $case: "service" as const, service: { type: Service.CONTROLLER_SERVICE } } }],
    }),
  });
  server.serve(ControllerDefinition, {
    controllerGetCapabilities: () => ({
      capabilities: [{ type: { $case: "rpc" as const, rpc: { type: ControllerRpc.CREATE_DELETE_VOLUME } } }],
    }),
    createVolume: ({ name, capacityRange }) => ({
      volume: { volumeId: name, capacityBytes: capacityRange?.requiredBytes ?? 0n, volumeContext: { source: `${share}\\${name}` } },
    }),
    deleteVolume: () => ({}),
  });
}

describe.skipIf(why !== "")(`csi-sanity${why}`, () => {
  test("the node part, on a simulated host", async () => {
    await using world = await startWorld({ isDriveRoot: true, adding: addController });
    world.host.shares.add(share, credential);
    const secrets = join(world.folder, "secrets.yaml");
    const secret = `\n  username: ${credential.username}\n  password: ${credential.password}\n`;
    await writeFile(secrets, `NodeStageVolumeSecret:${secret}`);
    // A link to a share leads nowhere on this machine: to the suite it is the folder that it would be on Windows.
    const checkPath = join(world.folder, "check-path");
    await writeFile(checkPath, `#!/bin/sh\nif [ -L "$1" ]; then echo directory; else echo not_found; fi\n`, { mode: 0o755 });
    const flags = [`--csi.secrets=${secrets}`, `--csi.checkpathcmd=${checkPath}`, "--ginkgo.focus=Node Service|Identity Service"];

    const cases = await runCsiSanity(program, world.socket, world.folder, flags);

    expect(cases.filter(({ status }) => status === "failed")).toEqual([]);
    const passed = cases.filter(({ status }) => status === "passed").map(({ name }) => name);
    expect(passed.filter((name) => name.includes("Identity Service")).length).toBeGreaterThanOrEqual(3);
    expect(passed.filter((name) => name.includes("Node Service")).length).toBeGreaterThanOrEqual(15);
    expect(passed).toContain("Node Service should work");
    expect(passed).toContain("Node Service should be idempotent");
    expect(world.host.shares.mapping(share)).toBeUndefined();
    expect(world.log()).not.toContain(credential.password);
  }, 60_000);
});
