import { describe, expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import { scriptOf } from "../../packages/csi-proxy/powershell/scripts/script-of.ts";
import { sessionHostScript } from "../../packages/csi-proxy/powershell/scripts/session-host-script.ts";
import { callV1, startClient, startCsiProxyExe } from "./testing/csi-proxy-exe.ts";
import { WindowsFolder, why } from "./testing/ring.ts";

const switches = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Mta", "-OutputFormat", "Text", "-Command"];
const hostile = `größe"'\`$(calc.exe); & whoami | \\" %PATH% ^\u{1f4be}`;
const secret = "hunter2-secret";

/** A request for a mapping whose user would like to be a command. */
const mapping = [
  ["remote_path:1 s", "\\\\host\\share"],
  ["username:3 s", hostile],
  ["password:4 s", secret],
] as const;

describe.skipIf(why !== "")(`under Wine, what csi-proxy.exe starts as PowerShell${why}`, () => {
  test("is a session that gets its script as one argument, and requests on its input", async () => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder, ["--v=10"]);
    await using client = await startClient();
    expect((await callV1(client, "Smb/NewSmbGlobalMapping", mapping)).code).toBe(Code.Unknown);
    expect((await callV1(client, "Disk/Rescan")).code).toBe(Code.OK);
    expect(folder.starts).toEqual([[...switches, sessionHostScript()]]);

    const requests = folder.lines("requests");
    const parsed = requests.map((line) => JSON.parse(line));
    expect(requests.join("")).toMatch(/^[ -~]*$/);
    const creation = parsed.find(({ op }) => op === "smb.newMapping");
    expect(creation.params).toMatchObject({ smbuser: hostile, smbpassword: secret });
    expect(parsed.at(-1)).toEqual({ id: parsed.length, op: "disk.rescan", params: {} });

    const environment = folder.environments.flat();
    expect(environment).toContainEqual(expect.stringMatching(/^SystemRoot=C:\\windows$/i));
    expect(environment.join()).not.toContain(secret);
    expect(program.output).not.toContain(secret);
  });

  test("is a process for each operation, with its parameters in the environment", async () => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder, ["--v=10", "--powershell-mode=oneshot"]);
    await using client = await startClient();
    await callV1(client, "Smb/NewSmbGlobalMapping", mapping);
    const index = folder.environments.findIndex((variables) => variables.includes("CSI_PROXY_OP=smb.newMapping"));
    expect(folder.starts[index]).toEqual([...switches, scriptOf("smb.newMapping")]);
    expect(folder.environments[index]).toEqual(
      expect.arrayContaining([`smbuser=${hostile}`, `smbpassword=${secret}`, expect.stringMatching(/^SystemRoot=/i)]),
    );
    expect(program.output).not.toContain(secret);
  });

  test("is Windows' own unless told otherwise; where that does not work, calls fail and the process lives", async () => {
    using folder = new WindowsFolder();
    // Wine has a powershell.exe at that place, which does nothing.
    await using program = await startCsiProxyExe(folder, ["--powershell="]);
    await using client = await startClient();
    const lost = await callV1(client, "Disk/Rescan");
    expect([lost.code, lost.message]).toEqual([Code.Unknown, expect.stringContaining("the PowerShell session ended with exit code 0")]);
    await callV1(client, "Disk/Rescan");
    const alone = await callV1(client, "Disk/Rescan");
    expect(alone.message).toContain("disk.rescan: powershell ended with exit code 0 and without an answer");
    expect(program.output).toContain("PowerShell does not start as a session");
  });
});
