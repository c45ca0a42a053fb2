import { afterAll, beforeAll, describe } from "bun:test";
import { grpcVersions } from "../csi-proxy/go-client/build.ts";
import { ClientProgram } from "../csi-proxy/testing/client-program.ts";
import { type ClientWorld, testClient } from "../csi-proxy/testing/client-tests.ts";
import { pipe, startClient, startCsiProxyExe } from "./testing/csi-proxy-exe.ts";
import { goClientName, hasProgram, startWindowsProgram, WindowsFolder, why } from "./testing/ring.ts";

const inGo = (version: string) => ({
  name: `a client with ${version}`,
  program: goClientName(version),
  start: () => ClientProgram.start((address) => startWindowsProgram(goClientName(version), [address])),
  whyNot: why || " (skipped: Go is not installed)",
});
const inTypeScript = { name: "the client of this repository", program: "ts-client.js", start: startClient, whyNot: why };

for (const { name, program, start, whyNot } of [inTypeScript, ...grpcVersions.map(inGo)]) {
  const isThere = hasProgram(program);
  describe.skipIf(!isThere)(`under Wine, on named pipes: ${name}${isThere ? "" : whyNot}`, () => {
    const open = new AsyncDisposableStack();
    let world: ClientWorld;

    beforeAll(async () => {
      const folder = open.use(new WindowsFolder());
      open.use(await startCsiProxyExe(folder));
      world = {
        client: open.use(await start()),
        endpoint: pipe,
        stub: folder,
        kubeletPath: folder.windowsPath,
        onDisk: (path) => folder.onDisk(path),
      };
    });
    afterAll(() => open.disposeAsync());

    testClient(() => world);
  });
}
