import { type OperationScript, powershell } from "./operation-script.ts";
import { storageObjects, wmiMethods } from "./wmi-functions.ts";

/** `ObjectNotFound` is part of the text because drivers look for it. */
const initiator = powershell`
function Find-Portal([Parameter(Mandatory = $true)][string]$Address, [Parameter(Mandatory = $true)][string]$Port) {
  $number = [uint16]::Parse($Port)
  Get-StorageObject MSFT_iSCSITargetPortal |
    Where-Object { $_.TargetPortalAddress -eq $Address -and $_.TargetPortalPortNumber -eq $number } | Select-Object -First 1
}

function Get-TargetOfPortal($Portal) {
  Get-CimAssociatedInstance -InputObject $Portal -Association MSFT_iSCSITargetToiSCSITargetPortal -ResultClassName MSFT_iSCSITarget
}

function Get-ExistingTarget([string]$Address, [string]$Port, [Parameter(Mandatory = $true)][string]$Iqn) {
  $portal = Find-Portal $Address $Port
  if (-not $portal) { Stop-NotFound ('ObjectNotFound: iSCSI target portal {0}:{1} not found' -f $Address, $Port) }
  $target = Get-TargetOfPortal $portal | Where-Object { $_.NodeAddress -ceq $Iqn } | Select-Object -First 1
  if (-not $target) { Stop-NotFound ('ObjectNotFound: iSCSI target {0} not found' -f $Iqn) }
  $target
}
`;

const reading = [storageObjects, initiator];
const changing = [wmiMethods, storageObjects, initiator];

export const iscsiScripts = {
  "iscsi.listPortals": {
    functions: reading,
    body: powershell`
@{ data = @(foreach ($portal in Get-StorageObject MSFT_iSCSITargetPortal) {
  [pscustomobject]@{ address = $portal.TargetPortalAddress; port = $portal.TargetPortalPortNumber }
}) }
`,
  },
  "iscsi.newPortal": {
    functions: changing,
    body: powershell`
$arguments = @{ TargetPortalAddress = [string]$p.iscsi_tp_address; TargetPortalPortNumber = [uint16]::Parse($p.iscsi_tp_port) }
Get-MethodAnswer (Invoke-ClassMethod Root\Microsoft\Windows\Storage MSFT_iSCSITargetPortal New $arguments)
`,
  },
  "iscsi.removePortal": {
    functions: changing,
    body: powershell`
$portal = Find-Portal $p.iscsi_tp_address $p.iscsi_tp_port
if (-not $portal) { Stop-NotFound ('iSCSI target portal {0}:{1} not found' -f $p.iscsi_tp_address, $p.iscsi_tp_port) }
$arguments = @{ TargetPortalAddress = [string]$portal.TargetPortalAddress; TargetPortalPortNumber = [uint16]$portal.TargetPortalPortNumber }
Get-MethodAnswer (Invoke-InstanceMethod $portal Remove $arguments)
`,
  },
  "iscsi.targets": {
    functions: reading,
    body: powershell`
$portal = Find-Portal $p.iscsi_tp_address $p.iscsi_tp_port
if (-not $portal) { return @{ data = $null } }
@{ data = @(foreach ($target in Get-TargetOfPortal $portal) {
  [pscustomobject]@{ nodeAddress = $target.NodeAddress; isConnected = [bool]$target.IsConnected }
}) }
`,
  },
  "iscsi.connect": {
    functions: [wmiMethods],
    body: powershell`
$arguments = @{
  NodeAddress = [string]$p.iscsi_target_iqn
  TargetPortalAddress = [string]$p.iscsi_tp_address
  TargetPortalPortNumber = [uint16]::Parse($p.iscsi_tp_port)
  AuthenticationType = [string]$p.iscsi_auth_type
}
if ($p.iscsi_chap_user) { $arguments.ChapUsername = [string]$p.iscsi_chap_user }
if ($p.iscsi_chap_secret) { $arguments.ChapSecret = [string]$p.iscsi_chap_secret }
Get-MethodAnswer (Invoke-ClassMethod Root\Microsoft\Windows\Storage MSFT_iSCSITarget Connect $arguments)
`,
  },
  "iscsi.sessions": {
    functions: reading,
    body: powershell`
$target = Get-ExistingTarget $p.iscsi_tp_address $p.iscsi_tp_port $p.iscsi_target_iqn
$sessions = Get-CimAssociatedInstance -InputObject $target -Association MSFT_iSCSITargetToiSCSISession -ResultClassName MSFT_iSCSISession
@{ data = @(foreach ($session in $sessions) {
  [pscustomobject]@{ sessionIdentifier = $session.SessionIdentifier; isPersistent = [bool]$session.IsPersistent }
}) }
`,
  },
  "iscsi.unregister": {
    functions: changing,
    body: powershell`
$session = Get-StorageObject MSFT_iSCSISession | Where-Object { $_.SessionIdentifier -eq $p.iscsi_session_id } | Select-Object -First 1
if (-not $session) { Stop-NotFound ('iSCSI session {0} not found' -f $p.iscsi_session_id) }
Get-MethodAnswer (Invoke-InstanceMethod $session Unregister @{})
`,
  },
  "iscsi.disconnect": {
    functions: changing,
    body: powershell`
$target = Get-StorageObject MSFT_iSCSITarget | Where-Object { $_.NodeAddress -ceq $p.iscsi_target_iqn } | Select-Object -First 1
if (-not $target) { Stop-NotFound ('ObjectNotFound: iSCSI target {0} not found' -f $p.iscsi_target_iqn) }
Get-MethodAnswer (Invoke-InstanceMethod $target Disconnect @{ SessionIdentifier = [string]$p.iscsi_session_id })
`,
  },
  "iscsi.targetDisks": {
    functions: reading,
    body: powershell`
$target = Get-ExistingTarget $p.iscsi_tp_address $p.iscsi_tp_port $p.iscsi_target_iqn
$connections = Get-CimAssociatedInstance -InputObject $target -Association MSFT_iSCSITargetToiSCSIConnection -ResultClassName MSFT_iSCSIConnection
@{ data = @(foreach ($connection in $connections) {
  foreach ($disk in Get-CimAssociatedInstance -InputObject $connection -Association MSFT_iSCSIConnectionToDisk -ResultClassName MSFT_Disk) {
    $disk.Number
  }
}) }
`,
  },
  "iscsi.setChapSecret": {
    functions: [wmiMethods],
    body: powershell`
$arguments = @{ ChapSecret = [string]$p.iscsi_mutual_chap_secret }
Get-MethodAnswer (Invoke-ClassMethod Root\Microsoft\Windows\Storage MSFT_iSCSISession SetCHAPSecret $arguments)
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
