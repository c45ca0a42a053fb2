import { describe, expect, test } from "bun:test";
import { HpackDecoder } from "./hpack-decoder.ts";
import { encodeLiterals } from "./hpack-literals.ts";
import { MalformedHeaders } from "./malformed-headers.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

const firstRequest = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "www.example.com"],
] as const;
const secondRequest = [...firstRequest, ["cache-control", "no-cache"]] as const;
const thirdRequest = [
  [":method", "GET"],
  [":scheme", "https"],
  [":path", "/index.html"],
  [":authority", "www.example.com"],
  ["custom-key", "custom-value"],
] as const;

describe("the examples of RFC 7541, appendix C", () => {
  test.each([
    ["C.2.1, literal with indexing", "400a637573746f6d2d6b65790d637573746f6d2d686561646572", [["custom-key", "custom-header"]]],
    ["C.2.2, literal without indexing", "040c2f73616d706c652f70617468", [[":path", "/sample/path"]]],
    ["C.2.3, literal never indexed", "100870617373776f726406736563726574", [["password", "secret"]]],
    ["C.2.4, indexed field", "82", [[":method", "GET"]]],
  ])("%s", (_, block, fields) => {
    expect(new HpackDecoder().decode(hex(block))).toEqual(fields as never);
  });

  test("C.3, three requests of one connection", () => {
    const decoder = new HpackDecoder();
    expect(decoder.decode(hex("828684410f7777772e6578616d706c652e636f6d"))).toEqual(firstRequest as never);
    expect(decoder.decode(hex("828684be58086e6f2d6361636865"))).toEqual(secondRequest as never);
    expect(decoder.decode(hex("828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"))).toEqual(thirdRequest as never);
  });

  test("C.4, the same with Huffman codes", () => {
    const decoder = new HpackDecoder();
    expect(decoder.decode(hex("828684418cf1e3c2e5f23a6ba0ab90f4ff"))).toEqual(firstRequest as never);
    expect(decoder.decode(hex("828684be5886a8eb10649cbf"))).toEqual(secondRequest as never);
    expect(decoder.decode(hex("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"))).toEqual(thirdRequest as never);
  });

  test("C.6, responses whose fields displace each other in a table of 256 bytes", () => {
    const decoder = new HpackDecoder();
    decoder.decode(hex("3fe101")); // 256
    const common = [
      ["cache-control", "private"],
      ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
      ["location", "https://www.example.com"],
    ];
    const first = "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3";
    expect(decoder.decode(hex(first))).toEqual([[":status", "302"], ...common] as never);
    expect(decoder.decode(hex("4883640effc1c0bf"))).toEqual([[":status", "307"], ...common] as never);
    const third =
      "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f958" +
      "7316065c003ed4ee5b1063d5007";
    expect(decoder.decode(hex(third))).toEqual([
      [":status", "200"],
      ["cache-control", "private"],
      ["date", "Mon, 21 Oct 2013 20:13:22 GMT"],
      ["location", "https://www.example.com"],
      ["content-encoding", "gzip"],
      ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
    ] as never);
  });
});

test("what is written as literals reads the same", () => {
  const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
  const fields = [
    ["a", ""],
    ["b", everyByte],
    ["c", "x".repeat(126)],
    ["d", "x".repeat(127)],
    ["e", "x".repeat(40_000)],
  ] as const;
  expect(new HpackDecoder().decode(encodeLiterals(fields))).toEqual(fields as never);
});

test("a table that is made empty and large again holds nothing of before", () => {
  const decoder = new HpackDecoder();
  decoder.decode(hex("400a637573746f6d2d6b65790d637573746f6d2d686561646572"));
  expect(decoder.decode(hex("be"))).toEqual([["custom-key", "custom-header"]]);
  decoder.decode(hex("20 3fe11f")); // 0, then 4096
  expect(() => decoder.decode(hex("be"))).toThrow("no header field has the index 62");
});

test("a field that is larger than the table empties it", () => {
  const decoder = new HpackDecoder();
  decoder.decode(hex("400a637573746f6d2d6b65790d637573746f6d2d686561646572"));
  const [, ...rest] = encodeLiterals([["large", "x".repeat(4096)]]);
  expect(decoder.decode(Buffer.from([0x40, ...rest]))).toHaveLength(1);
  expect(() => decoder.decode(hex("be"))).toThrow(MalformedHeaders);
});

describe("malformed", () => {
  test.each([
    ["index 0", "80", "no header field has the index 0"],
    ["an index beyond the tables", "be", "no header field has the index 62"],
    ["the name at an index beyond the tables", "7f80 01 61", "no header field has the index"],
    ["an integer without end", "ff80808080808001", "an integer that is too large"],
    ["a block that ends in an integer", "ff", "a header block that ends in a field"],
    ["a block that ends before a value", "4001 61", "a header block that ends in a field"],
    ["a string longer than the block", "0005 6162", "a header block that ends in a string"],
    ["a table larger than was offered", "3fe21f", "a header table of 4097 bytes"],
    ["a table size after a field", "82 20", "a table size update after the first field"],
    ["Huffman padding of zeros", "0001 61 8118", "a Huffman string with wrong padding"],
    ["Huffman padding of a whole byte", "0001 61 82 1fff", "a Huffman string with wrong padding"],
    ["Huffman code of the end", "0001 61 84 ffffffff", "a Huffman"],
  ])("%s", (_, block, message) => {
    expect(() => new HpackDecoder().decode(hex(block))).toThrow(message);
    expect(() => new HpackDecoder().decode(hex(block))).toThrow(MalformedHeaders);
  });

  test("a block that is small on the wire and large when read", () => {
    const [, ...rest] = encodeLiterals([["bomb", "x".repeat(3_900)]]);
    const bomb = Buffer.from([0x40, ...rest, ...Array<number>(100).fill(0xbe)]);
    expect(() => new HpackDecoder().decode(bomb)).toThrow("a header list that is too large");
  });
});
