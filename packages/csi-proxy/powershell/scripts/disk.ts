import { nativeMethods } from "./native-methods.ts";
import { type OperationScript, powershell } from "./operation-script.ts";
import { storageObjects, wmiMethods } from "./wmi-functions.ts";

const reading = [storageObjects];
const changing = [wmiMethods, storageObjects];

export const diskScripts = {
  "disk.list": {
    functions: reading,
    body: powershell`
$disks = if ($p.disk_number) {
  $wanted = [uint32]::Parse($p.disk_number)
  Get-StorageObject MSFT_Disk | Where-Object { $_.Number -eq $wanted }
} else {
  Get-StorageObject MSFT_Disk
}
@{ data = @(foreach ($disk in $disks) {
  [pscustomobject]@{
    number = $disk.Number
    path = $disk.Path
    serialNumber = $disk.SerialNumber
    location = $disk.Location
    partitionStyle = [int](Get-RawValue $disk 'PartitionStyle')
    isOffline = [bool]$disk.IsOffline
    size = [string]$disk.Size
  }
}) }
`,
  },
  // The device number is the second of three numbers. A disk that refuses one question may still have answered the other.
  "disk.deviceIds": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
$paths = ConvertFrom-Json -InputObject $p.disk_paths
$read = [uint32]2147483648
$getDeviceNumber = 0x2D1080
$queryProperty = 0x2D1400
$deviceIdProperty = [byte[]](2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
@{ data = @(foreach ($path in $paths) {
  $answer = [pscustomobject]@{ path = $path; deviceNumber = $null; descriptor = $null; error = $null }
  try {
    $number = [CsiProxyNative]::Control($path, $read, 0, $getDeviceNumber, [byte[]]@(), 12)
    $answer.deviceNumber = [BitConverter]::ToUInt32($number, 4)
    $descriptor = [CsiProxyNative]::Control($path, $read, 0, $queryProperty, $deviceIdProperty, 4096)
    $answer.descriptor = [Convert]::ToBase64String($descriptor)
  } catch {
    $answer.error = [string]$_.Exception.GetBaseException().Message
  }
  $answer
}) }
`,
  },
  "disk.rescan": {
    functions: [wmiMethods],
    body: powershell`
$result = Invoke-ClassMethod Root\Microsoft\Windows\Storage MSFT_StorageSetting UpdateHostStorageCache @{}
$code = Get-ReturnValue $result
if ($code -ne 0) {
  $exception = [System.Exception]::new(('WMI MSFT_StorageSetting.UpdateHostStorageCache failed: code={0}' -f $code))
  $exception.Data['wmi'] = @{ class = 'MSFT_StorageSetting'; method = 'UpdateHostStorageCache'; code = $code }
  throw $exception
}
@{ data = $null }
`,
  },
  "disk.initialize": {
    functions: changing,
    body: powershell`
Get-MethodAnswer (Invoke-InstanceMethod (Find-Disk $p.disk_number) Initialize @{ PartitionStyle = [uint16]2 })
`,
  },
  "disk.partitions": {
    functions: reading,
    body: powershell`
@{ data = @(foreach ($partition in Find-Partition $p.disk_number) {
  [pscustomobject]@{
    partitionNumber = $partition.PartitionNumber
    gptType = if ($partition.GptType) { [string]$partition.GptType } else { $null }
    size = [string]$partition.Size
  }
}) }
`,
  },
  "disk.createPartition": {
    functions: changing,
    body: powershell`
$arguments = @{ UseMaximumSize = $true; AssignDriveLetter = $false; IsHidden = $false; IsActive = $false }
if ($p.gpt_type) { $arguments.GptType = [string]$p.gpt_type }
Get-MethodAnswer (Invoke-InstanceMethod (Find-Disk $p.disk_number) CreatePartition $arguments)
`,
  },
  "disk.refresh": {
    functions: changing,
    body: powershell`
Get-MethodAnswer (Invoke-InstanceMethod (Find-Disk $p.disk_number) Refresh @{})
`,
  },
  "disk.setOnline": {
    functions: changing,
    body: powershell`
$method = switch ($p.is_online) {
  'true' { 'Online' }
  'false' { 'Offline' }
  default { throw 'is_online is neither true nor false' }
}
Get-MethodAnswer (Invoke-InstanceMethod (Find-Disk $p.disk_number) $method @{})
`,
  },
  "partition.online": {
    functions: changing,
    body: powershell`
$number = [uint32]::Parse($p.partition_number)
$partition = Find-Partition $p.disk_number | Where-Object { $_.PartitionNumber -eq $number } | Select-Object -First 1
if (-not $partition) { Stop-NotFound ('partition {0} of disk {1} not found' -f $number, $p.disk_number) }
Get-MethodAnswer (Invoke-InstanceMethod $partition Online @{})
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
