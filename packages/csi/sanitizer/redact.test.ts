import { describe, expect, test } from "bun:test";
import { DeleteVolumeRequest } from "../gen/csi.ts";
import { redact } from "./redact.ts";
import { secretsIn } from "./secrets-in.ts";

describe("redact", () => {
  test.each([
    ["a value in the text", "login as admin:hunter2 failed", ["hunter2"], "login as admin:***stripped*** failed"],
    ["every place", "hunter2, hunter2", ["hunter2"], "***stripped***, ***stripped***"],
    ["the longest first", "key abcdef", ["abc", "abcdef"], "key ***stripped***"],
    ["no value in what was put in", "no password", ["password", "stripped"], "no ***stripped***"],
    ["the shortest values that are secrets", "key abc", ["abc"], "key ***stripped***"],
    ["nothing for empty and very short values", "an error", ["", "a", "er"], "an error"],
    ["values that look like patterns", "bad p.*d, p[a]d", ["p.*d", "$&^|"], "bad ***stripped***, p[a]d"],
    ["values trimmed by the driver", "token tok-1: no", ["tok-1\n"], "token ***stripped***: no"],
    ["values in quotes", 'bad "pa\\"ss\\n1"', ['pa"ss\n1'], 'bad "***stripped***"'],
    ["values in a URL", "GET /?p=p%40ss%20word", ["p@ss word"], "GET /?p=***stripped***"],
    ["values in a URL, lower case", "GET /?p=a%2fb%2Fc%5e", ["a/b/c^"], "GET /?p=***stripped***"],
    ["values in a URL that encodes more than it must", "GET /?p=%61b%63", ["abc"], "GET /?p=***stripped***"],
    ["values in a form", "p=p%40ss+word%2B&q=1", ["p@ss word+"], "p=***stripped***&q=1"],
    ["values in base64", "Authorization: Basic aHVudGVyMg==", ["hunter2"], "Authorization: Basic ***stripped***"],
    ["values in base64 without padding", "token aHVudGVyMg.", ["hunter2"], "token ***stripped***."],
    ["values in base64 for URLs", "token Pz8_Pj4-, Pz8%2FPj4%2b", ["???>>>"], "token ***stripped***, ***stripped***"],
    ["values within base64", "Basic dXNlcjpodW50ZXIyOmI= ok", ["hunter2"], "Basic dXNlcj***stripped***mI= ok"],
    ["values in hex", "key 68756e74657232, 4A4b4C, 4A4B4C", ["hunter2", "JKL"], "key ***stripped***, 4A4b4C, ***stripped***"],
    ["values as numbers", "key [104 117 110 116]", ["hunt"], "key [***stripped***]"],
    ["values as Go quotes them", String.raw`bad "a\"\\b\n\x00\u00e9\a"`, ['a"\\b\n\0é\x07'], 'bad "***stripped***"'],
    ["values quoted twice", String.raw`{\"p\":\"a\\\"b\\n\"}`, ['a"b\n'], String.raw`{\"p\":\"***stripped***\\n\"}`],
    ["values quoted in a URL", "GET /?q=%22a%5C%22b%22", ['a"b'], "GET /?q=%22***stripped***%22"],
    ["values beyond the basic plane, quoted", String.raw`bad "\ud83d\ude00\U0001F600\360\237\230\200"`, ["😀😀😀"], 'bad "***stripped***"'],
    ["values in HTML", "<p>a&amp;b&lt;&quot;&#39;&#x3E;&#x1f600;</p>", ["a&b<\"'>😀"], "<p>***stripped***</p>"],
    [
      "lines of a value",
      "cannot parse line 2: MIIEvQIBADAN",
      ["-----BEGIN KEY-----\r\nMIIEvQIBADAN\r\n-----END KEY-----\n"],
      "cannot parse line 2: ***stripped***",
    ],
    [
      "no short or common lines of a value",
      "want }, got -----BEGIN KEY-----",
      ["-----BEGIN KEY-----\n}\nMIIEvQIBADAN"],
      "want }, got -----BEGIN KEY-----",
    ],
    ["values that overlap", "key abcdef.", ["abcd", "cdef"], "key ***stripped***."],
    ["values among other characters", "für größer: schlüssel 字", ["größer"], "für ***stripped***: schlüssel 字"],
    ["no words that say yes or no", "ssl is true", ["true", "false", "1"], "ssl is true"],
    ["half a character", "text", ["\ud800abc"], "text"],
    ["nothing where there are no secrets", "text", [], "text"],
  ])("%s", (_, text, secrets, expected) => expect(redact(text, secrets)).toBe(expected));

  test("gives up a text that takes too long to search", () => {
    const alike = Array.from({ length: 1_400 }, (_, index) => "a".repeat(index + 6)).join("\n");
    expect(redact("aaaaab".repeat(10_000), [alike])).toBe("***stripped***");
  });

  test("takes what a request's secret fields hold", () => {
    const request = DeleteVolumeRequest.create({ volumeId: "vol-1", secrets: { user: "admin", password: "hunter2" } });
    expect(redact("delete vol-1: user admin: wrong password hunter2", secretsIn(request, DeleteVolumeRequest))).toBe(
      "delete vol-1: user ***stripped***: wrong password ***stripped***",
    );
  });
});

describe("every encoding of every secret", () => {
  const hex = (text: string) => Buffer.from(text).toString("hex");
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const pairs = (text: string) => hex(text).match(/../g) ?? [];
  /** Shorter lines than anybody writes, as the secrets are short. */
  const inLines = (text: string, end: string) => (text.match(/.{1,16}/g) ?? []).join(end);
  const replaceEach = (text: string, special: RegExp, by: (character: string) => string) => text.replace(special, by);
  const percent = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const entity = (radix: number, prefix: string) => (character: string) => `&#${prefix}${character.codePointAt(0)?.toString(radix)};`;
  const encodings: Readonly<Record<string, (secret: string) => string>> = {
    plain: (secret) => secret,
    trimmed: (secret) => secret.trim(),
    base64,
    "base64 without padding": (secret) => base64(secret).replaceAll("=", ""),
    "base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
    "base64 in lines": (secret) => inLines(base64(secret), "\n"),
    "base64 in lines of a mail": (secret) => inLines(base64(`user:${secret}`), "\r\n"),
    "base64 in lines, in JSON": (secret) => inLines(base64(secret), "\\n"),
    "base64 in indented lines": (secret) => inLines(base64(secret), "\n    "),
    "base64 of a pair": (secret) => base64(`user:${secret}`),
    "base64 of JSON": (secret) => base64(`{"a":1,"password":"${secret}"}`),
    hex,
    "hex in capitals": (secret) => hex(secret).toUpperCase(),
    "hex in pairs": (secret) => pairs(secret).join(" "),
    "hex as of certificates": (secret) => pairs(secret).join(":").toUpperCase(),
    "Go's bytes": (secret) => Buffer.from(secret).join(" "),
    "Go's bytes as Go code": (secret) =>
      pairs(secret)
        .map((pair) => `0x${pair.replace(/^0/, "")}`)
        .join(", "),
    "bytes in JSON": (secret) => JSON.stringify([...Buffer.from(secret)]).slice(1, -1),
    "bytes of a list": (secret) => Buffer.from(secret).join(", "),
    "a URL's component": encodeURIComponent,
    "a form": (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
    "a URL in small letters": percent,
    "a URL in mixed case": (secret) =>
      encodeURIComponent(secret).replace(/%(..)/g, (found) => (found < "%5" ? found.toLowerCase() : found)),
    JSON: (secret) => JSON.stringify(secret).slice(1, -1),
    "JSON in JSON": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    "JSON in ASCII": (secret) => replaceEach(secret, /[^ !#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    "Go's %q": (secret) => replaceEach(secret, /["\\]|\p{Cc}/gu, (c) => (c < " " ? `\\x${hex(c)}` : `\\${c}`)),
    HTML: (secret) => Bun.escapeHTML(secret),
    "HTML by decimal numbers": (secret) => replaceEach(secret, /[^\w ]/gu, entity(10, "")),
    "HTML by hex numbers": (secret) => replaceEach(secret, /[^\w ]/gu, entity(16, "x")),
  };
  const alphabets = ["abcXYZ019", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"\\", "p%+ &\\\"'<n\n\t\x01", "aäß字😀é%"];

  /** The same for the same seed: a failure names a secret that fails again. */
  function* randomSecrets(count: number): Generator<string> {
    let state = 20_250_701;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let made = 0; made < count; made++) {
      const alphabet = Array.from(alphabets[made % alphabets.length] ?? "");
      const inner = Array.from({ length: 6 + random(40) }, () => alphabet[random(alphabet.length)]).join("");
      yield `k${inner}z${["", "\n", " ", "\r\n"][random(4)]}`;
    }
  }

  test.each(Object.entries(encodings))("%s", (_, encode) => {
    for (const secret of randomSecrets(200)) {
      const [trimmed, written] = [encode(secret.trim()), encode(secret)];
      for (const text of [`login with ${written} failed`, `<${trimmed}>`]) {
        const redacted = redact(text, ["other-secret", secret]);
        expect({ secret, text, redacted, leaks: redacted.includes(trimmed) }).toMatchObject({ leaks: false });
        expect(redacted).toContain("***stripped***");
      }
      // What is left around it is base64 of what the secret was joined with.
      expect(redact(`login with ${trimmed} failed`, [secret])).toMatch(/^login with \w{0,25}\*\*\*stripped\*\*\*[\w=]{0,6} failed$/);
    }
  });
});
