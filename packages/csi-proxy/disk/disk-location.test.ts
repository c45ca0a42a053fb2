import { describe, expect, test } from "bun:test";
import { type ParsedLocation, parseDiskLocation } from "./disk-location.ts";

const found = (adapter: string, bus: string, target: string, lunId: string, ...unknownNames: string[]): ParsedLocation => ({
  location: { adapter, bus, target, lunId },
  unknownNames,
});

describe("parseDiskLocation", () => {
  test.each<[string, string, ParsedLocation | undefined]>([
    ["a PCI slot", "PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 0", found("0", "", "1", "0", "Port")],
    [
      "an integrated controller",
      "Integrated : Bus 0 : Device 63667 : Function 30747 : Adapter 1 : Port 0 : Target 0 : LUN 4",
      found("1", "0", "0", "4", "Device", "Function", "Port"),
    ],
    ["without spaces around colons", "Integrated:Adapter 1:Bus 2:Target 3:LUN 4", found("1", "2", "3", "4")],
    ["only unknown parts: the disk counts as found", "a : b : c : d : Port 7", found("", "", "", "", "Port")],
    ["two spaces make three tokens", "a : b : c : Adapter  1 : LUN 2", found("", "", "", "2")],
    ["the last of two wins", "a : b : LUN 1 : c : LUN 2", found("", "", "", "2")],
    ["names are compared exactly", "a : b : c : d : lun 1", found("", "", "", "", "lun")],
    ["four parts", "Adapter 0 : Port 0 : Target 1 : LUN 0", undefined],
    ["five parts of one or three words", "PCI Slot 3 : a : b : c : d", undefined],
    ["a file of a virtual disk", "C:\\disks\\data.vhdx", undefined],
    ["empty", "", undefined],
  ])("%s", (_, text, expected) => {
    expect(parseDiskLocation(text)).toEqual(expected as ParsedLocation);
  });
});
