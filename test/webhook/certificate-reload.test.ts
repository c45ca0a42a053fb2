import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { CertificateWatch } from "../../components/snapshot-webhook/server/certificate-watch.ts";
import { HttpsServer } from "../../components/snapshot-webhook/server/https-server.ts";
import { type TestPair, testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { until } from "../e2e/testing/until.ts";
import { connectTo, servedName } from "./testing/tls-client.ts";

const names = ["first", "second", "third", "fourth", "fifth", "sixth"] as const;
const pairs = new Map<string, TestPair>();
let root: string;
let folder: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "certificates-"));
  const authority = await testAuthority();
  for (const name of names) pairs.set(name, await authority.issue(name));
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(root, "tls-"));
});

const pairOf = (name: string) => pairs.get(name) as TestPair;

interface Server extends AsyncDisposable {
  readonly port: number;
  readonly log: string[];
  serves(name: string): Promise<unknown>;
}

/** A server with what its folder holds. */
async function serve(): Promise<Server> {
  const log: string[] = [];
  const logger = {
    ...silentLogger,
    info: (message: string) => log.push(message),
    error: (_: unknown, message: string) => log.push(message),
  };
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  const watch = new CertificateWatch({ files, clock: systemClock, log: logger }, (pair) => server.use(pair));
  const server = new HttpsServer({
    ...{ host: "127.0.0.1", port: 0, pair: watch.current, clock: systemClock, log: logger },
    endpoints: new Map([["/readyz", { maxBytes: 0, answer: () => ({ status: 200, body: "ok" }) }]]),
  });
  const port = await server.listen();
  return {
    port,
    log,
    serves: (name) => until(`the certificate ${name}`, async () => (await servedName(port)) === name),
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]();
      await server.close();
    },
  };
}

function write(name: string): void {
  writeFileSync(join(folder, "tls.crt"), pairOf(name).cert);
  writeFileSync(join(folder, "tls.key"), pairOf(name).key);
}

test("five certificates written one after the other are each served; a connection that exists goes on", async () => {
  write("first");
  await using server = await serve();
  await using old = await connectTo(server.port);
  expect(await servedName(server.port)).toBe("first");
  for (const name of names.slice(1)) {
    write(name);
    await server.serves(name);
  }
  old.write("GET /readyz HTTP/1.1\r\nHost: webhook\r\n\r\n");
  await old.receives("\r\n\r\nok");
  expect(old.serverName).toBe("first");
});

test("files that are replaced by renaming others are read again", async () => {
  write("first");
  await using server = await serve();
  for (const [file, content] of [
    ["tls.crt", pairOf("second").cert],
    ["tls.key", pairOf("second").key],
  ] as const) {
    writeFileSync(join(folder, ".new"), content);
    renameSync(join(folder, ".new"), join(folder, file));
  }
  await server.serves("second");
});

test("so are files that are removed and come back", async () => {
  write("first");
  await using server = await serve();
  unlinkSync(join(folder, "tls.crt"));
  unlinkSync(join(folder, "tls.key"));
  await until("the loss is noticed", () => server.log.length > 0);
  expect(await servedName(server.port)).toBe("first");
  write("second");
  await server.serves("second");
});

test("a Secret that is mounted: the link ..data is exchanged, and the old folder removed", async () => {
  const fill = (version: string, name: string) => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "tls.crt"), pairOf(name).cert);
    writeFileSync(join(folder, version, "tls.key"), pairOf(name).key);
  };
  fill("..1", "first");
  symlinkSync("..1", join(folder, "..data"));
  for (const file of ["tls.crt", "tls.key"]) symlinkSync(join("..data", file), join(folder, file));
  await using server = await serve();
  for (const [index, name] of ["second", "third"].entries()) {
    fill(`..${index + 2}`, name);
    symlinkSync(`..${index + 2}`, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    rmSync(join(folder, `..${index + 1}`), { recursive: true });
    await server.serves(name);
  }
});

test("a whole folder that is exchanged is noticed without an event", async () => {
  write("first");
  await using server = await serve();
  renameSync(folder, `${folder}-old`);
  mkdirSync(folder);
  write("second");
  await server.serves("second");
});

test.each([
  ["a certificate without its key yet", () => pairOf("second").cert, () => pairOf("first").key],
  ["no certificate", () => "text", () => pairOf("second").key],
  ["no key", () => pairOf("second").cert, () => ""],
  ["a key in place of the certificate", () => pairOf("second").key, () => pairOf("second").key],
])("%s leaves the old pair in use, and is said once", async (_what, cert, key) => {
  write("first");
  await using server = await serve();
  writeFileSync(join(folder, "tls.crt"), cert());
  writeFileSync(join(folder, "tls.key"), key());
  const complaints = () => server.log.filter((message) => message.startsWith("Failed to read the TLS certificate again"));
  await until("the complaint", () => complaints().length > 0);
  expect(await servedName(server.port)).toBe("first");
  write("third");
  await server.serves("third");
});

test("a pair that cannot be used from the start is an error that shows no key", () => {
  const open = () =>
    new CertificateWatch(
      { files: { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") }, clock: systemClock, log: silentLogger },
      () => {},
    );
  expect(open).toThrow(/no such file.*tls\.crt/);
  writeFileSync(join(folder, "tls.crt"), pairOf("first").cert);
  writeFileSync(join(folder, "tls.key"), pairOf("second").key);
  expect(open).toThrow("the private key does not belong to the certificate");
  writeFileSync(join(folder, "tls.key"), "secret text");
  expect(open).toThrow("there is no readable private key in PEM");
});
