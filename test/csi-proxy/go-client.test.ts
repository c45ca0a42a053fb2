import { afterAll, beforeAll, describe } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RunningProgram } from "../running-program.ts";
import { goClientPath, grpcVersions } from "./go-client/build.ts";
import { ClientProgram } from "./testing/client-program.ts";
import { type ClientWorld, testClient } from "./testing/client-tests.ts";
import { CsiProxyFolders, startCsiProxy } from "./testing/csi-proxy-process.ts";

const clients = grpcVersions.map((version) => [version, goClientPath(version, process.env)] as const);
const why = clients.every(([, program]) => existsSync(program))
  ? ""
  : " (skipped: not built; run `npm run go-client:build`, which needs Go)";

describe.skipIf(why !== "").each(clients)(`a client with %s, on unix sockets${why}`, (_, program) => {
  const open = new AsyncDisposableStack();
  let world: ClientWorld;

  beforeAll(async () => {
    const folders = open.use(new CsiProxyFolders());
    open.use(await startCsiProxy(folders));
    world = {
      client: open.use(await ClientProgram.start((address) => new RunningProgram(program, [address], { env: {} }))),
      endpoint: (group, version) => folders.socket(group, version),
      stub: folders,
      kubeletPath: "C:\\var\\lib\\kubelet",
      onDisk: (path) => join(folders.drives, path.replace(":", "").replaceAll("\\", "/")),
    };
  });
  afterAll(() => open.disposeAsync());

  testClient(() => world);
});
