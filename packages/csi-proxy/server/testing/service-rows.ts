import { type MethodRow, rowsOf } from "./method-row.ts";
import type { Field } from "./wire-fields.ts";

const anyIscsi = rowsOf("iscsi", "v1alpha1 v1alpha2");
const address = (host: string, port: number): readonly Field[] => [
  ["target_address:1 s", host],
  ["target_port:2 u32", port],
];
const portal: Field = ["target_portal:1 TargetPortal", address("10.0.0.9", 3261)];
const iqn: Field = ["iqn:2 s", "iqn.9"];
const atPortal = { targetPortal: { targetAddress: "10.0.0.9", targetPort: 3261 } };
const atTarget = { ...atPortal, iqn: "iqn.9" };
const chap: readonly Field[] = [
  ["auth_type:3 enum AuthenticationType", 2],
  ["chap_username:4 s", "me"],
  ["chap_secret:5 s", "secret"],
];

export const iscsiRows: readonly MethodRow[] = [
  anyIscsi("AddTargetPortal", [portal], [], ["addTargetPortal", atPortal]),
  anyIscsi("RemoveTargetPortal", [portal], [], ["removeTargetPortal", atPortal]),
  anyIscsi("DiscoverTargetPortal", [portal], [["iqns:1 repeated s", ["iqn.1", "iqn.2"]]], ["discoverTargetPortal", atPortal]),
  anyIscsi(
    "ListTargetPortals",
    [],
    [["target_portals:1 repeated TargetPortal", [address("10.0.0.1", 3260), address("10.0.0.2", 65535)]]],
    ["listTargetPortals", {}],
  ),
  anyIscsi(
    "ConnectTarget",
    [portal, iqn, ...chap],
    [],
    ["connectTarget", { ...atTarget, authType: 2, chapUsername: "me", chapSecret: "secret" }],
  ),
  anyIscsi("DisconnectTarget", [portal, iqn], [], ["disconnectTarget", atTarget]),
  anyIscsi("GetTargetDisks", [portal, iqn], [["diskIDs:1 repeated s", ["3", "4"]]], ["getTargetDisks", atTarget]),
  rowsOf("iscsi", "v1alpha2")(
    "SetMutualChapSecret",
    [["MutualChapSecret:1 s", "secret"]],
    [],
    ["setMutualChapSecret", { mutualChapSecret: "secret" }],
  ),
];

const systemV1alpha1 = rowsOf("system", "v1alpha1");
const name: Field = ["name:1 s", "MSiSCSI"];
const service: readonly Field[] = [
  ["display_name:1 s", "Spooler of Prints"],
  ["start_type:2 enum StartType", 2],
  ["status:3 enum ServiceStatus", 4],
];

export const systemRows: readonly MethodRow[] = [
  systemV1alpha1("GetBIOSSerialNumber", [], [["serial_number:1 s", "BIOS-1"]], ["getBiosSerialNumber", {}]),
  systemV1alpha1("StartService", [name], [], ["startService", { name: "MSiSCSI" }]),
  systemV1alpha1("StopService", [name, ["force:2 b", true]], [], ["stopService", { name: "MSiSCSI", force: true }]),
  systemV1alpha1("GetService", [name], service, ["getService", { name: "MSiSCSI" }]),
];
