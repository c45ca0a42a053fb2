import { expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import { until } from "../e2e/testing/until.ts";
import { callV1, startClient, startCsiProxyExe } from "./testing/csi-proxy-exe.ts";
import { WindowsFolder, why } from "./testing/ring.ts";

// Wine makes no symbolic links: it says that it was asked for one, with all arguments, and that it did.
test.skipIf(why !== "")(
  `under Wine, a link to a share is one to a folder, by its plain path with a backslash at its end${why}`,
  async () => {
    using folder = new WindowsFolder();
    folder.answer("smb.newMapping", { ok: true, data: { returnValue: 0 } });
    await using program = await startCsiProxyExe(folder, [], { WINEDEBUG: "fixme+file" });
    await using client = await startClient();
    const request = [
      ["remote_path:1 s", "//Host/Share/Team"],
      ["local_path:2 s", `${folder.windowsPath}\\link`],
    ] as const;
    expect(await callV1(client, "Smb/NewSmbGlobalMapping", request)).toMatchObject({ code: Code.OK });
    const asked = /CreateSymbolicLinkW \(L"[^"]*\\\\link" L"([^"]*)" (\d)\)/;
    await until("Wine says so", () => asked.test(program.output));
    const [, target, flags] = asked.exec(program.output) ?? [];
    const directory = 1;
    expect([target, Number(flags) & directory]).toEqual(["\\\\\\\\Host\\\\Share\\\\Team\\\\", directory]);
  },
);
