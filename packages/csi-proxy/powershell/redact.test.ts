import { describe, expect, test } from "bun:test";
import { operations } from "./catalogue.ts";
import { redactionFor } from "./redact.ts";

const stripped = "***stripped***";
const redactionOf = (smbpassword: string) => redactionFor(operations["smb.newMapping"], { smbremotepath: "\\\\h\\s", smbpassword });

describe("a secret is found", () => {
  test.each([
    ["as it is, each time", "hunter22", "hunter22, hunter22!", `${stripped}, ${stripped}!`],
    ["twice without anything between", "hunter22", "hunter22hunter22", `${stripped}${stripped}`],
    ["where it overlaps itself", "xyxy", "-xyxyxyx-", `-${stripped}x-`],
    ["as JSON", 'a"b\\c\n/', JSON.stringify({ p: 'a"b\\c\n/' }), `{"p":"${stripped}"}`],
    ["as JSON in JSON", 'a"b\\c', JSON.stringify(JSON.stringify('a"b\\c')), `"\\"${stripped}\\""`],
    ["as PowerShell 5.1 writes JSON", "<a'b&c>", '"\\u003ca\\u0027b\\u0026c\\u003e"', `"${stripped}"`],
    ["in ASCII, in either case of hexadecimal digits", "p\u00fcss", "p\\u00FCss p\\u00fcss", `${stripped} ${stripped}`],
    ["as CLIXML", "a<b&c\u00e4", "<S>a&lt;b&amp;c_x00E4_</S>", `<S>${stripped}</S>`],
    ["over a line break", "hunter22", "the password hunt\r\ner22\r\nis wrong", `the password ${stripped}\r\nis wrong`],
    ["with characters that a console cannot show", "p\u00e4ssw\u00f6rd", "p?ssw?rd p\uFFFDssw\uFFFDrd", `${stripped} ${stripped}`],
    ["and nothing else", "hunter22", "hunter 22 \\u00e4 &amp;\r\n", "hunter 22 \\u00e4 &amp;\r\n"],
  ])("%s", (_, secret, text, expected) => expect(redactionOf(secret)(text)).toBe(expected));
});

test("what is not secret stays", () => {
  expect(redactionOf("")("\\\\h\\s is not there")).toBe("\\\\h\\s is not there");
  expect(redactionFor(operations["volume.get"], { volumeID: "hunter22" })("hunter22")).toBe("hunter22");
});

test("a short secret drops the whole text, since it would be found everywhere and show by its absence", () => {
  expect(redactionOf("abc")("any text")).toBe(stripped);
  expect(redactionOf("abc")("")).toBe("");
});

test("so does a text that is too long to be searched", () => {
  expect(redactionOf("hunter22")("x".repeat(256 * 1024 + 1))).toBe(stripped);
});

test("all three secrets of the catalogue are known", () => {
  const secrets = Object.entries(operations).flatMap(([op, operation]) => ("secrets" in operation ? [[op, operation.secrets]] : []));
  expect(secrets).toEqual([
    ["smb.newMapping", ["smbpassword"]],
    ["iscsi.connect", ["iscsi_chap_secret"]],
    ["iscsi.setChapSecret", ["iscsi_mutual_chap_secret"]],
  ]);
});
