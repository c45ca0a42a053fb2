import { nativeMethods } from "./native-methods.ts";
import { type OperationScript, powershell } from "./operation-script.ts";
import { storageObjects, wmiMethods } from "./wmi-functions.ts";

const reading = [storageObjects];
const changing = [wmiMethods, storageObjects];

export const volumeScripts = {
  "volume.list": {
    functions: reading,
    body: powershell`
$number = if ($p.partition_number) { [uint32]::Parse($p.partition_number) } else { 0 }
$partitions = Find-Partition $p.disk_number | Where-Object { $number -eq 0 -or $_.PartitionNumber -eq $number }
@{ data = @(foreach ($partition in $partitions) {
  foreach ($volume in Get-VolumeOfPartition $partition) {
    [pscustomobject]@{ partitionNumber = $partition.PartitionNumber; uniqueId = $volume.UniqueId }
  }
}) }
`,
  },
  "volume.get": {
    functions: reading,
    body: powershell`
$volume = Find-Volume $p.volumeID
if (-not $volume) { return @{ data = $null } }
@{ data = @{
  uniqueId = $volume.UniqueId
  fileSystemType = [int](Get-RawValue $volume 'FileSystemType')
  size = [string]$volume.Size
  sizeRemaining = [string]$volume.SizeRemaining
} }
`,
  },
  "volume.format": {
    functions: changing,
    body: powershell`
$arguments = @{ FileSystem = 'NTFS'; FileSystemLabel = ''; Full = $false; Force = $true }
Get-MethodAnswer (Invoke-InstanceMethod (Get-ExistingVolume $p.volumeID) Format $arguments)
`,
  },
  "volume.flush": {
    functions: changing,
    body: powershell`
Get-MethodAnswer (Invoke-InstanceMethod (Get-ExistingVolume $p.volumeID) Flush @{})
`,
  },
  "volume.partition": {
    functions: reading,
    body: powershell`
$volume = Find-Volume $p.volumeID
$partition = if ($volume) { Get-PartitionOfVolume $volume }
if (-not $partition) { return @{ data = $null } }
@{ data = @{ diskNumber = $partition.DiskNumber; partitionNumber = $partition.PartitionNumber; size = [string]$partition.Size } }
`,
  },
  "volume.supportedSize": {
    functions: changing,
    body: powershell`
$result = Invoke-InstanceMethod (Get-ExistingPartition $p.volumeID) GetSupportedSize @{}
@{ data = @{ returnValue = Get-ReturnValue $result; sizeMin = [string]$result.SizeMin; sizeMax = [string]$result.SizeMax } }
`,
  },
  "volume.resize": {
    functions: changing,
    body: powershell`
$size = [uint64]::Parse($p.size_bytes)
Get-MethodAnswer (Invoke-InstanceMethod (Get-ExistingPartition $p.volumeID) Resize @{ Size = $size })
`,
  },
  "volume.addMountPoint": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
@{ data = @{ win32 = [CsiProxyNative]::SetMountPoint((Get-MountPointPath $p.mountpath), $p.volumeID) } }
`,
  },
  // Windows asks for no volume here: the mount point itself says which one it is.
  "volume.removeMountPoint": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
@{ data = @{ win32 = [CsiProxyNative]::DeleteMountPoint((Get-MountPointPath $p.mountpath)) } }
`,
  },
  "volume.byDriveLetter": {
    functions: reading,
    body: powershell`
$letter = [string][char]::Parse($p.drivepath)
$partition = Get-StorageObject MSFT_Partition | Where-Object { [string]$_.DriveLetter -eq $letter } | Select-Object -First 1
$volume = if ($partition) { Get-VolumeOfPartition $partition | Select-Object -First 1 }
if (-not $volume) { return @{ data = $null } }
@{ data = @{ uniqueId = $volume.UniqueId } }
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
