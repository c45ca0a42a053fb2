import { powershell } from "./operation-script.ts";

/**
 * Calls methods of WMI objects and classes and answers with their return value.
 *
 * Windows reports the failure of a storage method either as a return value or as an error whose id has the same number: both become a
 * return value. Every other error names the class and the method.
 */
export const wmiMethods = powershell`
function Resolve-MethodFailure($Record, [string]$Class, [string]$Method) {
  $exception = $Record.Exception.GetBaseException()
  if ([string]$exception.MessageId -match '^StorageWMI (\d+)$') { return @{ ReturnValue = [long]$Matches[1] } }
  $exception.Data['wmi'] = @{ class = $Class; method = $Method; code = [long]$exception.StatusCode }
  throw $Record
}

function Invoke-InstanceMethod($Instance, [string]$Method, [hashtable]$Arguments) {
  try { Invoke-CimMethod -InputObject $Instance -MethodName $Method -Arguments $Arguments }
  catch { Resolve-MethodFailure $_ $Instance.CimSystemProperties.ClassName $Method }
}

function Invoke-ClassMethod([string]$Namespace, [string]$Class, [string]$Method, [hashtable]$Arguments) {
  try { Invoke-CimMethod -Namespace $Namespace -ClassName $Class -MethodName $Method -Arguments $Arguments }
  catch { Resolve-MethodFailure $_ $Class $Method }
}

function Get-ReturnValue($Result) {
  if ($null -eq $Result.ReturnValue) { throw 'the WMI method has returned no value' }
  [long]$Result.ReturnValue
}

function Get-MethodAnswer($Result) {
  @{ data = @{ returnValue = Get-ReturnValue $Result } }
}
`;

/**
 * Finds disks, partitions and volumes. Every comparison is one of values: no query is built from what a caller says.
 *
 * Enumerations are read as raw values: once its Storage module is loaded, PowerShell shows their names instead.
 */
export const storageObjects = powershell`
function Get-StorageObject([string]$Class) {
  Get-CimInstance -Namespace Root\Microsoft\Windows\Storage -ClassName $Class
}

function Get-RawValue($Instance, [string]$Name) {
  $Instance.CimInstanceProperties[$Name].Value
}

function Find-Disk([Parameter(Mandatory = $true)][string]$Number) {
  $wanted = [uint32]::Parse($Number)
  $disk = Get-StorageObject MSFT_Disk | Where-Object { $_.Number -eq $wanted } | Select-Object -First 1
  if (-not $disk) { Stop-NotFound ('disk {0} not found' -f $wanted) }
  $disk
}

function Find-Partition([Parameter(Mandatory = $true)][string]$DiskNumber) {
  $wanted = [uint32]::Parse($DiskNumber)
  Get-StorageObject MSFT_Partition | Where-Object { $_.DiskNumber -eq $wanted }
}

function Find-Volume([Parameter(Mandatory = $true)][string]$Id) {
  Get-StorageObject MSFT_Volume | Where-Object { $_.UniqueId -eq $Id } | Select-Object -First 1
}

function Get-ExistingVolume([Parameter(Mandatory = $true)][string]$Id) {
  $volume = Find-Volume $Id
  if (-not $volume) { Stop-NotFound ('volume {0} not found' -f $Id) }
  $volume
}

function Get-VolumeOfPartition($Partition) {
  Get-CimAssociatedInstance -InputObject $Partition -Association MSFT_PartitionToVolume -ResultClassName MSFT_Volume
}

function Get-PartitionOfVolume($Volume) {
  Get-CimAssociatedInstance -InputObject $Volume -Association MSFT_PartitionToVolume -ResultClassName MSFT_Partition | Select-Object -First 1
}

function Get-ExistingPartition([Parameter(Mandatory = $true)][string]$VolumeId) {
  $partition = Get-PartitionOfVolume (Get-ExistingVolume $VolumeId)
  if (-not $partition) { Stop-NotFound ('partition of volume {0} not found' -f $VolumeId) }
  $partition
}
`;
