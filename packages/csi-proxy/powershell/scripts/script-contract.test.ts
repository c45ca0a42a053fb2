import { describe, expect, test } from "bun:test";
import { type OperationId, operations } from "../catalogue.ts";
import { scriptOf } from "./script-of.ts";
import { parsePowershell } from "./testing/parse-powershell.ts";
import { bodyOf, dataShape, methodCall } from "./testing/script-contract.ts";

/** What the scripts answer with. */
const shapes: Readonly<Record<OperationId, string>> = {
  "disk.list": "[{number,path,serialNumber,location,partitionStyle,isOffline,size}]",
  "disk.deviceIds": "[{path,deviceNumber,descriptor,error}]",
  "disk.rescan": "null",
  "disk.initialize": "{returnValue}",
  "disk.partitions": "[{partitionNumber,gptType,size}]",
  "disk.createPartition": "{returnValue}",
  "disk.refresh": "{returnValue}",
  "disk.setOnline": "{returnValue}",
  "partition.online": "{returnValue}",
  "volume.list": "[{partitionNumber,uniqueId}]",
  "volume.get": "null or {uniqueId,fileSystemType,size,sizeRemaining}",
  "volume.format": "{returnValue}",
  "volume.flush": "{returnValue}",
  "volume.partition": "null or {diskNumber,partitionNumber,size}",
  "volume.supportedSize": "{returnValue,sizeMin,sizeMax}",
  "volume.resize": "{returnValue}",
  "volume.addMountPoint": "{win32}",
  "volume.removeMountPoint": "{win32}",
  "volume.byDriveLetter": "null or {uniqueId}",
  "fs.reparseInfo": "{exists} or {exists,isReparsePoint,tag,target}",
  "fs.testPath": "{valid}",
  "smb.getMapping": "null or {status}",
  "smb.newMapping": "{returnValue}",
  "smb.removeMapping": "{returnValue}",
  "iscsi.listPortals": "[{address,port}]",
  "iscsi.newPortal": "{returnValue}",
  "iscsi.removePortal": "{returnValue}",
  "iscsi.targets": "null or [{nodeAddress,isConnected}]",
  "iscsi.connect": "{returnValue}",
  "iscsi.sessions": "[{sessionIdentifier,isPersistent}]",
  "iscsi.unregister": "{returnValue}",
  "iscsi.disconnect": "{returnValue}",
  "iscsi.targetDisks": "[value]",
  "iscsi.setChapSecret": "{returnValue}",
  "system.bios": "{serialNumber}",
  "system.getService": "null or {name,displayName,state,startMode}",
  "system.startService": "{returnValue}",
  "system.stopService": "{returnValue}",
  "system.dependents": "[value]",
};

/** The WMI methods that the scripts call, with the arguments that Microsoft documents for them. */
const methods: Readonly<Partial<Record<OperationId, string>>> = {
  "disk.rescan": "MSFT_StorageSetting.UpdateHostStorageCache()",
  "disk.initialize": "Initialize(PartitionStyle)",
  "disk.createPartition": "CreatePartition(UseMaximumSize,AssignDriveLetter,IsHidden,IsActive,GptType)",
  "disk.refresh": "Refresh()",
  "disk.setOnline": "$method()",
  "partition.online": "Online()",
  "volume.format": "Format(FileSystem,FileSystemLabel,Full,Force)",
  "volume.flush": "Flush()",
  "volume.supportedSize": "GetSupportedSize()",
  "volume.resize": "Resize(Size)",
  "smb.newMapping": "MSFT_SmbGlobalMapping.Create(RemotePath,RequirePrivacy,Credential)",
  "smb.removeMapping": "Remove(Force)",
  "iscsi.newPortal": "MSFT_iSCSITargetPortal.New(TargetPortalAddress,TargetPortalPortNumber)",
  "iscsi.removePortal": "Remove(TargetPortalAddress,TargetPortalPortNumber)",
  "iscsi.connect":
    "MSFT_iSCSITarget.Connect(NodeAddress,TargetPortalAddress,TargetPortalPortNumber,AuthenticationType,ChapUsername,ChapSecret)",
  "iscsi.unregister": "Unregister()",
  "iscsi.disconnect": "Disconnect(SessionIdentifier)",
  "iscsi.setChapSecret": "MSFT_iSCSISession.SetCHAPSecret(ChapSecret)",
  "system.startService": "StartService()",
  "system.stopService": "StopService()",
};

describe.each(Object.keys(operations) as OperationId[])("the script of %s", (op) => {
  test("answers in the shape of the catalogue", async () => {
    expect(dataShape(bodyOf(await parsePowershell(scriptOf(op))))).toBe(shapes[op]);
  });

  test("calls the WMI method behind the operation, and no other", async () => {
    expect(methodCall(bodyOf(await parsePowershell(scriptOf(op))))).toBe(methods[op]);
  });
});
