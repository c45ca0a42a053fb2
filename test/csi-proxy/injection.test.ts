import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type OperationId, operations } from "../../packages/csi-proxy/powershell/catalogue.ts";
import { scriptOf } from "../../packages/csi-proxy/powershell/scripts/script-of.ts";
import { apiGroups } from "../../packages/csi-proxy/server/api-groups.ts";
import { methodTable } from "../../packages/csi-proxy/server/testing/method-table.ts";
import { encode, type Field } from "../../packages/csi-proxy/server/testing/wire-fields.ts";
import { RunningProgram } from "../running-program.ts";
import { ClientProgram } from "./testing/client-program.ts";
import { CsiProxyFolders, startCsiProxy } from "./testing/csi-proxy-process.ts";

const services = new Map<string, string>(apiGroups.map(({ group, service }) => [group, service]));

/** The fields with the text in place of every text. */
function withText(fields: readonly Field[], text: string): readonly Field[] {
  return fields.map(([declaration, value]): Field => {
    if (typeof value === "string") return [declaration, text];
    const isMessage = /:\d+ [A-Z]\w+$/.test(declaration);
    return [declaration, isMessage ? withText(value as readonly Field[], text) : value];
  });
}

test.skipIf(process.platform === "win32")("whatever a client sends, it is only ever the value of a parameter", async () => {
  using folders = new CsiProxyFolders();
  await using _program = await startCsiProxy(folders);
  const main = join(import.meta.dirname, "ts-client/main.ts");
  await using client = await ClientProgram.start((address) => new RunningProgram(process.execPath, [main, address], { env: {} }));
  const touch = `touch ${join(folders.path, "touched")}`;
  for (const hostile of [`\\\\host\\$(${touch})'; & ${touch} #`, `"\`${touch}\`|${touch}\n${touch}\nCSI_PROXY_OP=disk.rescan`]) {
    await Promise.all(
      methodTable.map(({ group, version, method, request }) =>
        client.call(folders.socket(group, version), `/${version}.${services.get(group)}/${method}`, encode(withText(request, hostile))),
      ),
    );
  }

  const { starts, environments } = folders;
  expect(starts.length).toBeGreaterThan(100);
  const carriers = new Set<string>();
  for (const [index, start] of starts.entries()) {
    const variables = new Map((environments[index] ?? []).map((line) => [line.slice(0, line.indexOf("=")), line]));
    const operation = variables.get("CSI_PROXY_OP")?.slice("CSI_PROXY_OP=".length) as OperationId;
    expect(start.slice(-2)).toEqual(["-Command", scriptOf(operation)]);
    const hostileOnes = [...variables].filter(([, line]) => line.includes("touch")).map(([name]) => name);
    expect((operations[operation].params as readonly string[]).filter((name) => hostileOnes.includes(name))).toEqual(hostileOnes);
    for (const name of hostileOnes) carriers.add(name);
  }
  expect([...carriers]).toEqual(expect.arrayContaining(["volumeID", "smbremotepath", "iscsi_tp_address", "ServiceName"]));
  expect(existsSync(join(folders.path, "touched"))).toBe(false);
});
