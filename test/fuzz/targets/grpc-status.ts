import {
  decodeStatusMessage,
  encodeStatusMessage,
  encodeStatusMessageUpTo,
  encodeTimeout,
  parseTimeout,
} from "../../../packages/csi/grpc/headers.ts";
import { expectSame, Finding, type Target } from "../engine/target.ts";

export const grpcStatus: Target = {
  name: "grpc-status",
  about: "grpc-message and grpc-timeout: any value is read, and what we write is read back",
  tokens: ["%", "%%", "%2", "%25", "%E2%82%AC", "%F0%9F", "%ff", "%zz", "\xe2\x82\xac", "H", "M", "S", "m", "u", "n", "99999999", "0"],
  generate(random) {
    if (random.chance(0.3)) return Buffer.from(`${random.number()}${random.pick(["H", "M", "S", "m", "u", "n"])}`);
    const parts = random.several(6, () =>
      random.pick(["no such volume ", "vol-1", "é", "€", "%", "\u{1d11e}", "\n", "\0", '"x"', "\ud800"]),
    );
    const text = parts.join("");
    return Buffer.from(random.chance(0.5) ? encodeStatusMessage(text) : text);
  },
  open: () => ({
    check(input) {
      const text = Buffer.from(input).toString();
      readBack(text);
      const value = Buffer.from(input).toString("latin1");
      expectSame("decoded differently from the specification", decodeStatusMessage(value), specified(value));
      timeout(value);
    },
  }),
};

function readBack(text: string): void {
  const encoded = encodeStatusMessage(text);
  if (!/^[ -~]*$/.test(encoded)) throw new Finding(`not fit for a header: ${JSON.stringify(encoded)}`);
  expectSame("a message is not read back", decodeStatusMessage(encoded), text.toWellFormed());
  for (const limit of [0, 1, 8, 9, 100]) {
    const short = encodeStatusMessageUpTo(limit, text);
    if (short.length > limit) throw new Finding(`longer than ${limit}: ${JSON.stringify(short)}`);
    if (!encoded.startsWith(short)) throw new Finding(`not the beginning of the message: ${JSON.stringify(short)}`);
  }
}

/** Bytes for escapes and for everything else, together UTF-8. */
function specified(encoded: string): string {
  const parts = encoded
    .split(/(%[0-9a-fA-F]{2})/)
    .map((part, at) => (at % 2 === 0 ? Buffer.from(part, "latin1") : Buffer.from(part.slice(1), "hex")));
  return Buffer.concat(parts).toString();
}

function timeout(value: string): void {
  const ms = parseTimeout(value);
  if ((ms !== undefined) !== /^[0-9]{1,8}[HMSmun]$/.test(value)) throw new Finding(`read as ${ms}: ${JSON.stringify(value)}`);
  if (ms === undefined) return;
  const again = parseTimeout(encodeTimeout(ms));
  if (again === undefined || again < ms) throw new Finding(`${ms} ms are sent as ${encodeTimeout(ms)}`);
}
