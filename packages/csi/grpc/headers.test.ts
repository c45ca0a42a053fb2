import { describe, expect, test } from "bun:test";
import {
  decodeStatusMessage,
  encodeStatusMessage,
  encodeStatusMessageUpTo,
  encodeTimeout,
  headerText,
  isGrpcContentType,
  parseTimeout,
} from "./headers.ts";
import { codeOfHttpStatus, codeOfReset } from "./http-mapping.ts";
import { Code, codeName, GrpcError } from "./status.ts";

describe("grpc-timeout", () => {
  test.each([
    [0, "0m"],
    [0.2, "1m"],
    [1_500, "1500m"],
    [99_999_999, "99999999m"],
    [100_000_000, "100000S"],
    [1e12, "16666667M"],
    [Number.MAX_SAFE_INTEGER, "99999999H"],
  ])("%p ms is sent as %s", (ms, header) => {
    expect(encodeTimeout(ms)).toBe(header);
  });

  test.each([
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3_000],
    ["4m", 4],
    ["5000u", 5],
    ["6000000n", 6],
    ["", undefined],
    ["5", undefined],
    ["123456789S", undefined],
    ["-1S", undefined],
    ["1s", undefined],
  ])("%p is read as %p ms", (header, ms) => {
    expect(parseTimeout(header)).toEqual(ms);
  });
});

describe("grpc-message", () => {
  test.each([
    ["plain", "volume not found", "volume not found"],
    ["percent", "100% full", "100%25 full"],
    ["line break", "a\nb\r", "a%0Ab%0D"],
    ["unicode", "größer als 5 €", "gr%C3%B6%C3%9Fer als 5 %E2%82%AC"],
    ["astral", "😀", "%F0%9F%98%80"],
    ["control", "\u0000\u007f", "%00%7F"],
  ])("%s survives", (_, plain, encoded) => {
    expect(encodeStatusMessage(plain)).toBe(encoded);
    expect(decodeStatusMessage(encoded)).toBe(plain);
  });

  test.each([
    ["a%", "a%"],
    ["a%4", "a%4"],
    ["a%zz", "a%zz"],
    ["%41%", "A%"],
    ["%e2%82%ac", "€"],
  ])("damaged or lower-case escape %p reads %p", (encoded, plain) => {
    expect(decodeStatusMessage(encoded)).toBe(plain);
  });
});

describe("text that was sent as raw UTF-8", () => {
  const raw = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString("latin1");

  test.each([
    ["is read as UTF-8", raw("größer als 5 € 😀"), "größer als 5 € 😀"],
    ["beside escapes", raw("größer %E2%82%AC 100%25 €"), "größer € 100% €"],
    ["one character half raw, half escaped", raw([0xe2], "%82%AC"), "€"],
    ["beside a damaged escape", raw("50% größer %zz"), "50% größer %zz"],
    ["bytes that are no UTF-8", raw("a", [0xff, 0xfe], "b", [0xc3]), "a\ufffd\ufffdb\ufffd"],
    ["bytes that are no UTF-8, escaped", "a%ff%FEb%c3", "a\ufffd\ufffdb\ufffd"],
    ["an overlong NUL and a lone surrogate", raw([0xc0, 0x80], "%ED%A0%80"), "\ufffd".repeat(5)],
    ["every byte there is, without throwing", raw(Array.from({ length: 256 }, (_, byte) => byte)).slice(0x7e, 0x82), "~\x7f\ufffd\ufffd"],
  ])("%s", (_, header, text) => {
    expect(decodeStatusMessage(header)).toBe(text);
  });

  test("is read so in any header, also in the first of several", () => {
    expect(headerText(raw("größer"))).toBe("größer");
    expect(headerText([raw("größer"), "b"])).toBe("größer");
    expect(headerText("plain")).toBe("plain");
    expect(headerText(undefined)).toBeUndefined();
  });
});

test.each([
  ["application/grpc", true],
  ["application/grpc+proto", true],
  ["application/grpc;charset=utf-8", true],
  ["application/grpcx", false],
  ["application/grpc-web", false],
  ["text/application/grpc", false],
  ["", false],
  [undefined, false],
])("content type %p is gRPC: %p", (value, expected) => {
  expect(isGrpcContentType(value)).toBe(expected);
});

describe("a long grpc-message", () => {
  test.each([
    ["fits", 9, "abc", "abc"],
    ["fits exactly", 4, "abcd", "abcd"],
    ["is cut", 3, "abcd", "abc"],
    ["is cut between characters", 14, "x😀€", "x%F0%9F%98%80"],
    ["loses a character that does not fit", 5, "€uro", ""],
  ])("%s", (_, limit, text, encoded) => {
    expect(encodeStatusMessageUpTo(limit, text)).toBe(encoded);
  });
});

describe("codes", () => {
  test("names are Go's, unknown numbers are shown", () => {
    expect(Array.from({ length: 19 }, (_, code) => codeName(code)).join(" ")).toBe(
      "OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition " +
        "Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated Code(17) Code(18)",
    );
    expect(codeName(-1)).toBe("Code(-1)");
  });

  test("an error prints as Go prints it", () => {
    const error = new GrpcError(Code.InvalidArgument, "name missing");
    expect(String(error)).toBe("rpc error: code = InvalidArgument desc = name missing");
    expect(`${error.message}`).toBe("rpc error: code = InvalidArgument desc = name missing");
    expect([error.code, error.codeName, error.details]).toEqual([3, "InvalidArgument", "name missing"]);
  });

  test.each([
    [400, Code.Internal],
    [401, Code.Unauthenticated],
    [403, Code.PermissionDenied],
    [404, Code.Unimplemented],
    [429, Code.Unavailable],
    [502, Code.Unavailable],
    [503, Code.Unavailable],
    [504, Code.Unavailable],
    [200, Code.Unknown],
    [500, Code.Unknown],
  ])("HTTP %p is code %p", (status, code) => {
    expect(codeOfHttpStatus(status)).toBe(code);
  });

  test("a reset stream never looks like a full storage pool", () => {
    expect(Array.from({ length: 14 }, (_, reset) => codeName(codeOfReset(reset)))).not.toContain("ResourceExhausted");
  });
});
